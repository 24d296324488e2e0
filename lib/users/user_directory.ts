import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Db } from "../../db/schema.ts";
import { AppError } from "../errors/errors.ts";
import { cursorOfId, GUEST_LIST_MAX, Id, isSearch, type ListQuery } from "../schemas/list.ts";
import type { Services } from "../services/services.ts";
import {
  LISTED_USER_COLUMNS,
  type ListedUser,
  listedUserOfRow,
  type User,
  USER_COLUMNS,
  userOfRow,
} from "./user_row.ts";
import { findUsersByName } from "./user_search.ts";
import { areUnconfirmedShown, type ForViewer, isAddressShown, requirePeople } from "./user_visibility.ts";

/** The number of users on a page. */
export const USER_PAGE_SIZE = 24;

/** A page of the list. `unconfirmed` says whether it has accounts whose address is not confirmed. */
interface PageValues {
  limit: number;
  unconfirmed: boolean;
}

const selectFirstPage = prepare((db, { limit, unconfirmed }: Placeholders<PageValues>) =>
  db.selectFrom("users").select(LISTED_USER_COLUMNS).where("deletion_due_at", "is", null)
    .where("suspended_at", "is", null).where((where) => where.or([where("email_verified", "=", true), unconfirmed]))
    .orderBy("id", "desc").limit(limit)
);
const selectPage = prepare((db, { limit, unconfirmed, cursor }: Placeholders<PageValues & { cursor: string }>) =>
  db.selectFrom("users").select(LISTED_USER_COLUMNS).where("id", "<", cursor).where("deletion_due_at", "is", null)
    .where("suspended_at", "is", null).where((where) => where.or([where("email_verified", "=", true), unconfirmed]))
    .orderBy("id", "desc").limit(limit)
);
const selectUser = prepare((db, { id }: Placeholders<{ id: string }>) =>
  db.selectFrom("users").select(USER_COLUMNS).where("id", "=", id).where("deletion_due_at", "is", null)
    .where("suspended_at", "is", null)
);

/**
 * Lists users, or those who are found by their name, newest first. Ids are ordered by time, so a page is one range scan
 * of the primary key. Its cost depends neither on the number of users nor on the number of the page. The few closing
 * and suspended accounts are skipped, and unconfirmed ones unless PEOPLE shows them. Guests' pages are capped.
 *
 * @throws {AppError} UNAUTHENTICATED, NOT_FOUND when PEOPLE does not let the viewer see people.
 */
export async function listUsers(
  services: Services,
  { limit, cursor, query = "", findViewer, showsAddresses }: ListQuery & { query?: string } & ForViewer,
): Promise<{ users: ListedUser[]; nextCursor: string | null }> {
  const { db, config } = services;
  await requirePeople(config, { findViewer });
  const size = limit > GUEST_LIST_MAX && await findViewer() === null ? GUEST_LIST_MAX : limit;
  const page = { limit: size + 1, unconfirmed: areUnconfirmedShown(config), cursor };
  const rows = await (isSearch(query) ? findUsersByName(db, { ...page, query }) : selectUsers(db, page));
  const listed = rows.slice(0, size).map((row) => listedUserOfRow(row, services));
  const users = await shownUsers(listed, { config, findViewer, showsAddresses });
  return { users, nextCursor: rows.length > size ? cursorOfId(users.at(-1)!.id) : null };
}

function selectUsers(db: Db, { cursor, ...page }: PageValues & { cursor: string | undefined }) {
  return cursor === undefined ? selectFirstPage(db, page) : selectPage(db, { ...page, cursor });
}

/**
 * Returns a user as others see them.
 *
 * @throws {AppError} UNAUTHENTICATED when PEOPLE does not let the viewer see people; NOT_FOUND when there is no such
 * user, when PEOPLE does not show them, and while the account is closing or suspended.
 */
export async function getUser(
  services: Services,
  { id, findViewer, showsAddresses }: { id: string } & ForViewer,
): Promise<User> {
  const { db, config } = services;
  await requirePeople(config, { findViewer });
  const [row] = Id.safeParse(id).success ? await selectUser(db, { id }) : [];
  if (row === undefined || !(row.email_verified || areUnconfirmedShown(config))) {
    throw new AppError("NOT_FOUND", { reason: "user" });
  }
  const [user] = await shownUsers([userOfRow(row, services)], { config, findViewer, showsAddresses });
  return user;
}

/** Hides the addresses that others may not see from everyone but their owner, and whoever sees all. */
async function shownUsers<Shown extends ListedUser>(
  users: Shown[],
  { config, findViewer, showsAddresses }: Pick<Services, "config"> & ForViewer,
): Promise<Shown[]> {
  if (showsAddresses) return users;
  const isHidden = (user: Shown) => !isAddressShown(user, config);
  if (!users.some(isHidden)) return users;
  const viewer = await findViewer();
  return users.map((user) => isHidden(user) && user.id !== viewer?.id ? { ...user, email: "" } : user);
}
