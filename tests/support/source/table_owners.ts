/**
 * Each table has one owner, the only room that writes it. A room that needs another room's rows asks that room's
 * functions. Everyone may read. Triggers of `users` also write `identities`, `search_terms` and `webhook_deliveries`, and those
 * of `events` the latter.
 */
export const TABLE_OWNERS: Record<string, string[]> = {
  "lib/access": ["api_tokens", "second_step_challenges", "sessions", "signing_keys"],
  "lib/activity": ["audit_position", "devices", "events"],
  "lib/grants": ["consents", "grants", "logout_deliveries", "missing_clients"],
  "lib/idempotency": ["submissions"],
  "lib/jobs": ["instances"],
  "lib/limits": ["rate_limits"],
  "lib/links": [
    "email_change_tokens",
    "email_verification_tokens",
    "emailed_codes",
    "factor_reset_stop_tokens",
    "factor_reset_tokens",
    "not_me_tokens",
    "password_reset_tokens",
  ],
  "lib/mail": ["outbox"],
  "lib/sign_in": [
    "factor_resets",
    "identities",
    "passkeys",
    "provider_attempts",
    "recovery_codes",
    "spent_challenges",
    "totp_secrets",
  ],
  "lib/uploads": ["store_sweep", "uploads"],
  "lib/users": ["deleted_accounts", "posts", "search_terms", "users"],
  "lib/webhooks": ["webhook_deliveries", "webhook_secrets", "webhooks"],
};
