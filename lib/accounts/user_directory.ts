import { AppError } from "../errors.ts";
import { cursorOfUserId, UserId, type UserListQuery } from "../schemas/user_list.ts";
import type { Services } from "../services.ts";
import { LISTED_USER_COLUMNS, type ListedUser, listedUserOfRow, type User, USER_COLUMNS, userOfRow } from "./user.ts";

/**
 * Lists users, newest first. Ids are ordered by time, so a page is one range scan of the primary key. Its cost depends
 * neither on the number of users nor on the number of the page.
 */
export async function listUsers(
  { db, config }: Services,
  { limit, cursor, viewerId }: UserListQuery & { viewerId?: string },
): Promise<{ users: ListedUser[]; nextCursor: string | null }> {
  const rows = await db.selectFrom("users").select(LISTED_USER_COLUMNS)
    .$if(cursor !== undefined, (query) => query.where("id", "<", cursor!))
    .orderBy("id", "desc").limit(limit + 1).execute();
  const users = rows.slice(0, limit).map((row) => publicUser(listedUserOfRow(row), config.publicUserEmails, viewerId));
  return { users, nextCursor: rows.length > limit ? cursorOfUserId(users.at(-1)!.id) : null };
}

/**
 * Returns the public view of a user.
 *
 * @throws {AppError} NOT_FOUND when there is no such user.
 */
export async function getUser(
  { db, config }: Services,
  { id, viewerId }: { id: string; viewerId?: string },
): Promise<User> {
  const row = UserId.safeParse(id).success
    ? await db.selectFrom("users").select(USER_COLUMNS).where("id", "=", id).executeTakeFirst()
    : undefined;
  if (row === undefined) throw new AppError("NOT_FOUND", "User not found");
  return publicUser(userOfRow(row), config.publicUserEmails, viewerId);
}

/** Hides the address unless addresses are public or the viewer is its owner. */
function publicUser<Shown extends ListedUser>(user: Shown, areEmailsPublic: boolean, viewerId?: string): Shown {
  return areEmailsPublic || user.id === viewerId ? user : { ...user, email: "" };
}
