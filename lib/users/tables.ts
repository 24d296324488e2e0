import type { ColumnType, Generated } from "kysely";
import { z } from "zod";
import { DAY_SECONDS } from "../duration.ts";
import { Time } from "../schemas/views.ts";
import type { TableRules } from "../schemas/table.ts";
import type { OptionalTexts } from "../schemas/profile_rules.ts";
import type { ROLES } from "../schemas/states.ts";

export type Provider = "email" | "idp";

/** What a user may do: administrators may also manage other users. */
export type Role = typeof ROLES[number];

export interface UsersTable extends Record<keyof OptionalTexts, ColumnType<string, string | undefined>> {
  id: string;
  email: string;
  name: string;
  /**
   * `<iterations>:<salt_base64>:<hash_base64>`; null for accounts without a password. Until the first login after an
   * import, the hash of another system: `$<algorithm>$<costs>$<salt_base64>$<hash_base64>`.
   */
  password_hash: string | null;
  provider: ColumnType<Provider, Provider | undefined>;
  /** The subject at the default provider. A trigger copies it into the table `identities`. */
  idp_id: string | null;
  /** When that identity was added to the account; null for accounts that were created with it. */
  idp_linked_at: ColumnType<Date | null, Date | null | undefined>;
  /** The key of a file that is stored here, or an address elsewhere. */
  avatar: string | null;
  email_verified: ColumnType<boolean, boolean | undefined>;
  role: ColumnType<Role, Role | undefined>;
  /** The language that the person has chosen, as a language tag; null without a choice. */
  language: ColumnType<string | null, string | null | undefined>;
  /** The language of the request that created the account; null if it asked for none. */
  registration_language: ColumnType<string | null, string | null | undefined>;
  /** Whether others may see the address, where PUBLIC_USER_EMAILS allows it. */
  email_visible: ColumnType<boolean, boolean | undefined>;
  /** When a closing account is deleted; null for all others. */
  deletion_due_at: ColumnType<Date | null, Date | null | undefined>;
  /** When the account was suspended; null for all others. */
  suspended_at: ColumnType<Date | null, Date | null | undefined>;
  /** Why, in the words of the operator. */
  suspension_reason: ColumnType<string | null, string | null | undefined>;
  /** When the person last used a session, accurate to five minutes; null if they never had one. */
  last_seen_at: ColumnType<Date | null, Date | null | undefined>;
  /** By when the person must have a second factor; null if SECOND_FACTOR has never reached them. */
  second_factor_due_at: ColumnType<Date | null, Date | null | undefined>;
  /** Until when an admin has given the person more time for that; null if none has. */
  second_factor_extended_until: ColumnType<Date | null, Date | null | undefined>;
  /** When the person was told that the date comes; null until then. */
  second_factor_announced_at: ColumnType<Date | null, Date | null | undefined>;
  created_at: Date;
  updated_at: Date;
  /** When the lease of the instance that deletes the account expires; null until the deletion has begun. */
  deletion_lease_ends_at: ColumnType<Date | null, Date | null | undefined>;
}

/** An example table, which Foyer never writes. Exports of accounts contain its rows, and they go with their author. */
export interface PostsTable {
  id: Generated<number>;
  title: string;
  content: string;
  published: ColumnType<boolean, boolean | undefined>;
  author_id: string;
  created_at: Date;
}

/** The accounts that were deleted lately, so that a restored backup does not bring them back. */
export interface DeletedAccountsTable {
  /** SHA-256 of the id of the user, base64url. */
  id_hash: string;
  /** The same of the end of the id; null in rows of older releases. */
  id_end_hash: ColumnType<string | null, string | null | undefined>;
  deleted_at: Date;
}

/** By what a user is found. A trigger of `users` writes it. */
export interface SearchTermsTable {
  user_id: string;
  /** The words of the name, without case and accents, and the address after an "@". */
  terms: string;
}

export interface UserTables {
  users: UsersTable;
  search_terms: SearchTermsTable;
  deleted_accounts: DeletedAccountsTable;
  posts: PostsTable;
}

/** How long deletions are remembered. Backups that are older must not be restored. */
const DELETIONS_KEPT_SECONDS = 90 * DAY_SECONDS;

export const USER_TABLES = {
  users: { restored: "always", exported: { as: "account" } },
  search_terms: { restored: "always", exported: { as: "profile" } },
  deleted_accounts: { restored: "always", ends: [{ column: "deleted_at", keptSeconds: DELETIONS_KEPT_SECONDS }] },
  posts: {
    restored: "always",
    exported: {
      as: "posts",
      entry: z.object({
        id: z.int(),
        title: z.string(),
        content: z.string(),
        published: z.boolean(),
        createdAt: Time,
      }),
      person: "author_id",
    },
  },
} as const satisfies TableRules<UserTables>;
