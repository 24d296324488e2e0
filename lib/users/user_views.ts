import { unixSeconds } from "../duration.ts";
import { optionalTextsOf } from "../schemas/profile_rules.ts";
import type { ListedUserView, LoggedInUser, ProfileView, RegisteredUser, UserView } from "./schema.ts";
import type { ListedUser, User } from "./user_row.ts";

/** The fields of a user that each endpoint returns. They are listed one by one, so that a new column never leaks. */

/** Source: docs/rules.md, Fields after registration. */
export function registrationView({ id, email, name }: User): RegisteredUser {
  return { id, email, name };
}

/** Source: docs/rules.md, Fields after login. */
export function loginView({ id, email, name, provider }: User): LoggedInUser {
  return { id, email, name, provider };
}

/** One entry of the list. `email` is "" when it is hidden. Source: docs/rules.md, Fields in the list of users. */
export function userListView({ id, name, email, avatar, provider, createdAt }: ListedUser): ListedUserView {
  return { id, name, email, avatar, provider, createdAt: unixSeconds(createdAt) };
}

/** Source: docs/rules.md, Fields of one user. */
export function userView(user: User): UserView {
  const { id, name, email, avatar, provider, createdAt } = user;
  return { id, name, email, ...optionalTextsOf(user), avatar, provider, createdAt: unixSeconds(createdAt) };
}

/** What an app that may see addresses learns besides about a user. */
export function addressView({ emailVerified }: ListedUser): Pick<ListedUserView, "emailVerified"> {
  return { emailVerified };
}

/** Source: docs/rules.md, Fields of the own profile. */
export function profileView(user: User): ProfileView {
  return { ...userView(user), emailVerified: user.emailVerified, language: user.language };
}
