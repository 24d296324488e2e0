import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Config } from "../config/config.ts";
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

/** For whom users are shown. */
interface ForViewer {
  /** Finds the id of the user who is logged in. It is called only if that matters, because a login takes a look-up. */
  findViewerId(): Promise<string | undefined>;
}

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
  { limit, cursor, findViewerId }: ListQuery & ForViewer,
): Promise<{ users: ListedUser[]; nextCursor: string | null }> {
  const page = { limit: limit + 1 };
  const rows = await (cursor === undefined ? selectFirstPage(db, page) : selectPage(db, { ...page, cursor }));
  const users = await publicUsers(rows.slice(0, limit).map(listedUserOfRow), { config, findViewerId });
  return { users, nextCursor: rows.length > limit ? cursorOfId(users.at(-1)!.id) : null };
}

/**
 * Returns the public view of a user.
 *
 * @throws {AppError} NOT_FOUND when there is no such user, and while the account is closing or suspended.
 */
export async function getUser(
  { db, config }: Services,
  { id, findViewerId }: { id: string } & ForViewer,
): Promise<User> {
  const [row] = Id.safeParse(id).success ? await selectUser(db, { id }) : [];
  if (row === undefined) throw new AppError("NOT_FOUND", { reason: "user" });
  const [user] = await publicUsers([userOfRow(row)], { config, findViewerId });
  return user;
}

/** Whether everyone sees the address of a user: the operator and the person both allow it. */
export function isAddressPublic(
  { emailVisible }: Pick<ListedUser, "emailVisible">,
  { publicUserEmails }: Pick<Config, "publicUserEmails">,
): boolean {
  return publicUserEmails && emailVisible;
}

/** Hides the addresses that are not public from everyone but their owner. */
async function publicUsers<Shown extends ListedUser>(
  users: Shown[],
  { config, findViewerId }: Pick<Services, "config"> & ForViewer,
): Promise<Shown[]> {
  const isHidden = (user: Shown) => !isAddressPublic(user, config);
  if (!users.some(isHidden)) return users;
  const viewerId = await findViewerId();
  return users.map((user) => isHidden(user) && user.id !== viewerId ? { ...user, email: "" } : user);
}
