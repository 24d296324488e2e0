import type { UserRow } from "../../db/schema.ts";
import type { Provider, Role } from "./tables.ts";
import { hasUploads } from "../config/uploads_setting.ts";
import { isServed } from "../services/object_store.ts";
import type { Services } from "../services/services.ts";
import { OPTIONAL_FIELDS, type OptionalTexts, optionalTextsOf } from "../schemas/profile_rules.ts";

/** A user as the list shows them. */
export interface ListedUser {
  id: string;
  email: string;
  name: string;
  provider: Provider;
  /** The address of the photo. */
  avatar: string | null;
  emailVerified: boolean;
  /** Whether the person lets others see the address. */
  emailVisible: boolean;
  createdAt: Date;
}

/** A user without the password hash, which only {@linkcode CredentialsRow} holds. */
export interface User extends ListedUser, OptionalTexts {
  role: Role;
  /** The tag of the language that the person has chosen; null without a choice. */
  language: string | null;
  /** When the account will be deleted; null unless its owner has closed it. */
  deletionDueAt: Date | null;
}

/** The columns of a {@linkcode ListedUser}. */
export const LISTED_USER_COLUMNS = [
  "id",
  "email",
  "name",
  "provider",
  "avatar",
  "email_verified",
  "email_visible",
  "created_at",
] as const;
/** The columns of a {@linkcode User}. */
export const USER_COLUMNS = [
  ...LISTED_USER_COLUMNS,
  ...OPTIONAL_FIELDS,
  "role",
  "language",
  "deletion_due_at",
] as const;
/** The columns of a user whose password is checked or replaced. No other read includes the password hash. */
export const CREDENTIALS_COLUMNS = [...USER_COLUMNS, "password_hash"] as const;
/** The columns of an {@linkcode AddressRow}. */
export const ADDRESS_COLUMNS = ["id", "email", "email_verified"] as const;

/** The row of a {@linkcode ListedUser}. */
export type ListedUserRow = Pick<UserRow, typeof LISTED_USER_COLUMNS[number]>;
/** The row of a {@linkcode User}. */
export type FullUserRow = Pick<UserRow, typeof USER_COLUMNS[number]>;
/** The row of a user with the password hash. */
export type CredentialsRow = Pick<UserRow, typeof CREDENTIALS_COLUMNS[number]>;
/** The row of a user whose address is to be verified or emailed. */
export type AddressRow = Pick<UserRow, typeof ADDRESS_COLUMNS[number]>;

/** What turns a stored photo into its address. */
type Addresses = Pick<Services, "config" | "objects">;

/** Turns a row into a user. */
export function userOfRow(row: FullUserRow, services: Addresses): User {
  const { role, language, deletion_due_at: deletionDueAt } = row;
  return { ...listedUserOfRow(row, services), ...optionalTextsOf(row), role, language, deletionDueAt };
}

/** Turns a row into an entry of the list. */
export function listedUserOfRow(row: ListedUserRow, services: Addresses): ListedUser {
  const { id, email, name, provider, created_at: createdAt } = row;
  const { email_verified: emailVerified, email_visible: emailVisible } = row;
  const avatar = avatarAddress(row.avatar, services);
  return { id, email, name, provider, avatar, emailVerified, emailVisible, createdAt };
}

/**
 * Returns the address of the avatar of a row: null, an address elsewhere, or the key of a file that is stored here. The
 * address of the store may change. Also null where UPLOADS switches off photos, or the file: it shows them again later.
 */
export function avatarAddress(avatar: string | null, { config, objects }: Addresses): string | null {
  if (avatar === null || !hasUploads(config, "photos")) return null;
  if (URL.canParse(avatar)) return avatar;
  return isServed(config, avatar) ? objects.publicUrl(avatar) : null;
}
