import { z } from "zod";
import { OPTIONAL_FIELDS, profileField, textsBy } from "../schemas/profile_rules.ts";
import { EntityId, like, listOf, one, Success, Time } from "../schemas/views.ts";

const Provider = z.enum(["email", "idp"]).meta({ description: "How the account was created" });
const Avatar = z.string().nullable().meta({ description: "The address of the photo" });

/** Source: docs/rules.md, Fields after registration. */
export const RegisteredUser = z.object({ id: EntityId, email: like("ada@example.com"), name: like("Ada Lovelace") });
export type RegisteredUser = z.infer<typeof RegisteredUser>;

/** Source: docs/rules.md, Fields after login. */
export const LoggedInUser = RegisteredUser.extend({ provider: Provider });
export type LoggedInUser = z.infer<typeof LoggedInUser>;

/** Source: docs/rules.md, Fields in the list of users. */
export const ListedUserView = z.object({
  id: EntityId,
  name: like("Ada Lovelace"),
  email: like("ada@example.com").meta({ description: 'Empty ("") when it is hidden' }),
  avatar: Avatar,
  provider: Provider,
  createdAt: Time,
  emailVerified: z.boolean().optional().meta({
    description: "Only for an app that acts as itself with the scope `users:emails`",
  }),
});
export type ListedUserView = z.infer<typeof ListedUserView>;

/** Source: docs/rules.md, Fields of one user. */
export const UserView = ListedUserView.extend(textsBy(OPTIONAL_FIELDS, (field) => like(profileField(field).example)));
export type UserView = z.infer<typeof UserView>;

/** Source: docs/rules.md, Fields of the own profile. */
export const ProfileView = UserView.extend({
  emailVerified: z.boolean(),
  language: z.string().nullable().meta({ description: "The language that the person has chosen; null: none" }),
});
export type ProfileView = z.infer<typeof ProfileView>;

export const UserList = listOf(ListedUserView);
export const OneUser = one(UserView);
export const InvitedUser = one(ListedUserView);
export const OwnProfile = z.object({ user: ProfileView });
export const SavedProfile = Success.extend({ user: ProfileView });
