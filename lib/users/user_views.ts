import { unixSeconds } from "../duration.ts";
import { optionalTextsOf } from "../schemas/profile_rules.ts";
import type { ListedUserView, LoggedInUser, ProfileView, RegisteredUser, UserView } from "../schemas/views/users.ts";
import type { ListedUser, User } from "./user.ts";

/** The fields of a user that each endpoint returns. They are listed one by one, so that a new column never leaks. */

/** Source: spec, POST /auth/register. */
export function registrationView({ id, email, name }: User): RegisteredUser {
  return { id, email, name };
}

/** Source: spec, POST /auth/login. */
export function loginView({ id, email, name, provider }: User): LoggedInUser {
  return { id, email, name, provider };
}

/** One entry of the list. `email` is "" when it is hidden. Source: spec, GET /api/users. */
export function userListView({ id, name, email, avatar, provider, createdAt }: ListedUser): ListedUserView {
  return { id, name, email, avatar, provider, createdAt: unixSeconds(createdAt) };
}

/** Source: spec, GET /api/users/:id. */
export function userView(user: User): UserView {
  const { id, name, email, avatar, provider, createdAt } = user;
  return { id, name, email, ...optionalTextsOf(user), avatar, provider, createdAt: unixSeconds(createdAt) };
}

/** Source: spec, GET and PUT /api/profile. */
export function profileView(user: User): ProfileView {
  return { ...userView(user), emailVerified: user.emailVerified };
}
