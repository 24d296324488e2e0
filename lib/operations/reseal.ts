import { resealSigningKeys } from "../access/signing_keys.ts";
import { type Resealed, sumOf } from "../crypto/reseal.ts";
import { resealRefreshKeys } from "../grants/refresh_key.ts";
import { resealMails } from "../mail/outbox.ts";
import type { Services } from "../services.ts";
import { resealTotpSecrets } from "../sign_in/second_factor/totp_secret.ts";
import { resealWebhookSecrets } from "../webhooks/webhook_secret.ts";

/**
 * Seals again what previous secrets have sealed for long: keys of access tokens and of refresh tokens, secrets of
 * authenticator apps and of webhooks, and emails that wait. Codes, challenges, upload URLs and stored responses end by themselves within days.
 */
export async function resealAll(services: Pick<Services, "db" | "config">): Promise<Resealed> {
  return sumOf([
    await resealSigningKeys(services),
    await resealTotpSecrets(services),
    await resealMails(services),
    await resealWebhookSecrets(services),
    await resealRefreshKeys(services),
  ]);
}
