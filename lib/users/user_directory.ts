import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import { AppError } from "../errors.ts";
import { cursorOfId, Id, type ListQuery } from "../schemas/list.ts";
import type { Services } from "../services.ts";
import {
  LISTED_USER_COLUMNS,
  type ListedUser,
  listedUserOfRow,
  type User,
  USER_COLUMNS,
  userOfRow,
} from "./user_row.ts";

/** The number of users on a page. */
export const USER_PAGE_SIZE = 24;

const selectFirstPage = prepare((db, { limit }: Placeholders<{ limit: number }>) =>
  db.selectFrom("users").select(LISTED_USER_COLUMNS).where("deletion_due_at", "is", null)
    .where("suspended_at", "is", null).orderBy("id", "desc").limit(limit)
);
const selectPage = prepare((db, { limit, cursor }: Placeholders<{ limit: number; cursor: string }>) =>
  db.selectFrom("users").select(LISTED_USER_COLUMNS).where("id", "<", cursor).where("deletion_due_at", "is", null)
    .where("suspended_at", "is", null).orderBy("id", "desc").limit(limit)
);
const selectUser = prepare((db, { id }: Placeholders<{ id: string }>) =>
  db.selectFrom("users").select(USER_COLUMNS).where("id", "=", id).where("deletion_due_at", "is", null)
    .where("suspended_at", "is", null)
);

/**
 * Lists users, newest first. Ids are ordered by time, so a page is one range scan of the primary key. Its cost depends
 * neither on the number of users nor on the number of the page. The few closing and suspended accounts are skipped.
 */
export async function listUsers(
  { db, config }: Services,
  { limit, cursor, viewerId }: ListQuery & { viewerId?: string },
): Promise<{ users: ListedUser[]; nextCursor: string | null }> {
  const page = { limit: limit + 1 };
  const rows = await (cursor === undefined ? selectFirstPage(db, page) : selectPage(db, { ...page, cursor }));
  const users = rows.slice(0, limit).map((row) => publicUser(listedUserOfRow(row), config.publicUserEmails, viewerId));
  return { users, nextCursor: rows.length > limit ? cursorOfId(users.at(-1)!.id) : null };
}

/**
 * Returns the public view of a user.
 *
 * @throws {AppError} NOT_FOUND when there is no such user, and while the account is closing or suspended.
 */
export async function getUser(
  { db, config }: Services,
  { id, viewerId }: { id: string; viewerId?: string },
): Promise<User> {
  const [row] = Id.safeParse(id).success ? await selectUser(db, { id }) : [];
  if (row === undefined) throw new AppError("NOT_FOUND", { reason: "user" });
  return publicUser(userOfRow(row), config.publicUserEmails, viewerId);
}

/** Hides the address unless addresses are public or the viewer is its owner. */
function publicUser<Shown extends ListedUser>(user: Shown, areEmailsPublic: boolean, viewerId?: string): Shown {
  return areEmailsPublic || user.id === viewerId ? user : { ...user, email: "" };
}
