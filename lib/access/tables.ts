import type { ColumnType, JSONColumnType } from "kysely";
import { z } from "zod";
import { Amount, EntityId, Time } from "../schemas/views.ts";
import { type TableRules, TOKEN_KEPT_SECONDS } from "../schemas/table.ts";
import type { Scope } from "../schemas/scopes.ts";
import type { SIGN_IN_METHODS } from "../schemas/states.ts";

export interface SessionsTable {
  /** SHA-256 of the session token, base64url. Only the cookie contains the token itself. */
  id: string;
  user_id: string;
  /** Names the session in lists, events and code. It stays the same when the session gets a new token. */
  public_id: ColumnType<string, string, never>;
  /** When it was opened. A login of the same person in the same browser opens it again. */
  created_at: Date;
  expires_at: Date;
  /** Accurate to five minutes. */
  last_seen_at: Date;
  /** The address of the client that opened the session; null only in sessions that are older than version 0.1.0. */
  client_address: string | null;
  user_agent: string | null;
  method: SignInMethod;
  /** When the person last proved who they are. */
  authenticated_at: Date;
  /** The second proof that the person has given in this session; null if there was none. */
  second_factor: ColumnType<SecondProof | null, SecondProof | null | undefined>;
  /** The last proof in this session; null if it was the one that opened it. */
  last_proof: ColumnType<LastProof | null, LastProof | null | undefined>;
}

/** A second proof in a session. A passkey is one where the session was opened in another way. */
export type SecondProof = "totp" | "recovery_code" | "passkey";

/** How a session was opened. A registration counts as password, and so does a reset. */
export type SignInMethod = typeof SIGN_IN_METHODS[number];

/** What someone proves in a session, or opens it with. */
export type SessionProof = SignInMethod | "totp";

/** The last proof in a session, or that it skipped the second step on a trusted device and had no proof since. */
export type LastProof = SessionProof | "trusted_device";

/** The API tokens of programs that act for a user. */
export interface ApiTokensTable {
  id: string;
  user_id: string;
  name: string;
  /** SHA-256 of the token, base64url. */
  token_hash: string;
  /** The start of the token, by which its owner recognizes it. */
  hint: string;
  scopes: Scope[];
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date;
  /** Accurate to five minutes; null until the first use. */
  last_used_at: ColumnType<Date | null, Date | null | undefined>;
  /** When an email announces the end; null once it is queued, and for tokens that are too short-lived for it. */
  remind_at: Date | null;
}

/** Sign-ins whose first proof was right, and that wait for the second one. */
export interface SecondStepChallengesTable {
  /** SHA-256 of the token in the browser, base64url. */
  id: string;
  user_id: string;
  /** The method of the session to open. */
  method: SignInMethod;
  /** The public ids of the sessions that the browser held at the first step. */
  session_ids: string[];
  /** How often someone has entered a code, right or wrong. */
  tries: ColumnType<number, number | undefined, number>;
  expires_at: Date;
}

/** The keys that sign access tokens. */
export interface SigningKeysTable {
  /** The `kid` in tokens. */
  id: string;
  public_key: JSONColumnType<PublicKey>;
  /** The encrypted key. */
  private_key: string;
  /** From then on it signs, until a newer key does. */
  signs_from: Date;
  /** Until then it is published. */
  expires_at: Date;
}

/** A point on the curve P-256, or an RSA modulus and exponent. Source: RFC 7518, 6.2.1 and 6.3.1. */
export type PublicKey =
  | { kty: "EC"; crv: "P-256"; x: string; y: string }
  | { kty: "RSA"; n: string; e: string };

export interface AccessTables {
  sessions: SessionsTable;
  second_step_challenges: SecondStepChallengesTable;
  api_tokens: ApiTokensTable;
  signing_keys: SigningKeysTable;
}

export const ACCESS_TABLES = {
  sessions: {
    restored: "move",
    ends: [{ column: "expires_at" }], // and the grants that need one
    exported: {
      as: "sessions",
      entry: z.object({
        id: EntityId,
        method: z.string(),
        device: z.string().nullable(),
        clientAddress: z.string().nullable(),
        createdAt: Time,
        lastSeenAt: Time,
        authenticatedAt: Time,
        secondFactor: z.string().nullable(),
        lastProof: z.string().nullable(),
        expiresAt: Time,
      }),
      columns: { id: "public_id", device: "user_agent" },
      key: "public_id",
    },
  },
  second_step_challenges: {
    restored: "move",
    ends: [{ column: "expires_at" }],
    exported: {
      as: "waitingSignIns",
      entry: z.object({ method: z.string(), tries: Amount, expiresAt: Time }),
      order: ["expires_at"],
    },
  },
  // programs would stop; the report says that tokens deleted since are back
  api_tokens: {
    restored: "always",
    ends: [{ column: "expires_at", keptSeconds: TOKEN_KEPT_SECONDS }],
    exported: { as: "tokens" },
  },
  signing_keys: { restored: "always", ends: [{ column: "expires_at" }] },
} as const satisfies TableRules<AccessTables>;
