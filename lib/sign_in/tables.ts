import type { ColumnType, Generated } from "kysely";
import { z } from "zod";
import { DAY_SECONDS } from "../duration.ts";
import { EntityId, Time } from "../schemas/views.ts";
import { type TableRules, TOKEN_KEPT_SECONDS } from "../schemas/table.ts";

/** The people of identity providers who can log in to an account. A trigger writes those of the default provider. */
export interface IdentitiesTable {
  id: Generated<string>;
  user_id: string;
  /** The key of the provider. */
  provider: string;
  /** The issuer and its subject. */
  subject: string;
  /** The address at the provider; null if not known. */
  email: string | null;
  linked_at: Date;
}

/** Attempts to sign in at an identity provider that have not ended. */
export interface ProviderAttemptsTable {
  /** SHA-256 of the state, base64url. */
  id: string;
  purpose: "sign_in" | "link";
  /** The key of the provider. */
  provider: ColumnType<string, string | undefined>;
  /** The user who started the attempt; null for a sign-in. */
  user_id: string | null;
  /** The public ids of the sessions of the browser that started the attempt. */
  session_ids: string[];
  /** The page to go to after the sign-in. */
  next: string | null;
  /**
   * The subject whom the provider has signed in, and their address there. Only while a link waits for its confirmation.
   */
  subject: ColumnType<string | null, string | null | undefined>;
  email: ColumnType<string | null, string | null | undefined>;
  expires_at: Date;
  /** The groups that the provider has named; null if it has said nothing. */
  groups: ColumnType<string[] | null, string[] | null | undefined>;
}

/** The passkeys of users. They hold no secret: the private key never leaves the person's device. */
export interface PasskeysTable {
  id: string;
  user_id: string;
  /** How the authenticator names the passkey, base64url. */
  credential_id: string;
  /** A COSE key, base64url. */
  public_key: string;
  /** How often the passkey has been used, as its authenticator counts. Many authenticators always send 0. */
  counter: string | number;
  /** How browsers can reach the authenticator, such as "usb" or "internal". */
  transports: string[];
  name: string;
  /** Whether the authenticator has copied the passkey to another device or to a cloud. */
  backed_up: boolean;
  created_at: ColumnType<Date, Date, never>;
  last_used_at: Date | null;
}

/** The challenges of passkeys that have been answered, until they expire. */
export interface SpentChallengesTable {
  /** The signature of the challenge, base64url. */
  id: string;
  expires_at: Date;
}

/** The authenticator apps, at most one for each user. */
export interface TotpSecretsTable {
  user_id: string;
  /** The encrypted secret that is in use; null until the first one is confirmed. */
  secret: ColumnType<string | null, string | null | undefined>;
  /** The time step of the last code that was accepted. Codes of this step and earlier ones are spent. */
  last_step: ColumnType<number, number | undefined>;
  enabled_at: ColumnType<Date | null, Date | null | undefined>;
  /** The encrypted secret that waits for its first code. It replaces the one in use. */
  pending_secret: string | null;
  pending_until: Date | null;
}

/** The recovery codes that have not been used. */
export interface RecoveryCodesTable {
  user_id: string;
  /** A slow hash. All codes of a user share one salt, so that an attempt costs one hash. */
  code_hash: string;
  created_at: ColumnType<Date, Date, never>;
}

/** Second factors that will be removed, because their owner has lost them. */
export interface FactorResetsTable {
  user_id: string;
  due_at: Date;
  /** When the next email is due, or the removal. */
  next_act_at: Date;
  /** The client that started the wait. */
  client_address: string;
  user_agent: string | null;
}

export interface SignInTables {
  identities: IdentitiesTable;
  passkeys: PasskeysTable;
  totp_secrets: TotpSecretsTable;
  recovery_codes: RecoveryCodesTable;
  factor_resets: FactorResetsTable;
  provider_attempts: ProviderAttemptsTable;
  spent_challenges: SpentChallengesTable;
}

/** How long the secret of an authenticator app that no code has confirmed is kept after it stopped working. */
const UNCONFIRMED_KEPT_SECONDS = DAY_SECONDS;

export const SIGN_IN_TABLES = {
  identities: {
    restored: "always",
    exported: {
      as: "identities",
      entry: z.object({
        id: EntityId,
        provider: z.string(),
        subject: z.string(),
        email: z.string().nullable(),
        linkedAt: Time,
      }),
      order: ["linked_at"],
    },
  },
  passkeys: { restored: "always", exported: { as: "passkeys" } },
  totp_secrets: {
    restored: "always",
    ends: [{ column: "pending_until", keptSeconds: UNCONFIRMED_KEPT_SECONDS, whileNull: "enabled_at" }],
    exported: { as: "secondFactor" },
  },
  recovery_codes: { restored: "always", exported: { as: "secondFactor" } },
  // the owner may have stopped the removal
  factor_resets: { restored: "move", exported: { as: "secondFactor" } },
  provider_attempts: {
    restored: "move",
    ends: [{ column: "expires_at" }],
    exported: {
      as: "providerAttempts",
      entry: z.object({
        purpose: z.string(),
        subject: z.string().nullable(),
        email: z.string().nullable(),
        next: z.string().nullable(),
        expiresAt: Time,
      }),
      order: ["expires_at"],
    },
  },
  spent_challenges: { restored: "always", ends: [{ column: "expires_at", keptSeconds: TOKEN_KEPT_SECONDS }] },
} as const satisfies TableRules<SignInTables>;
