import { InvitationSchema } from "../sign_in/schema.ts";
import { GUEST_LIST_MAX, UserListSchema } from "../schemas/list.ts";
import { ProfileUpdateSchema } from "../accounts/schema.ts";
import { InvitedUser, OneUser, OwnProfile, SavedProfile, UserList } from "../users/schema.ts";
import { entries } from "./entry.ts";

const WHO_SEES_PEOPLE =
  "The operator (`PEOPLE`) may leave out accounts whose address is not confirmed, and answer guests with 401 or everyone " +
  "but admins with 404.";

/** Profiles, one's own and those of others. */
export const PEOPLE = entries({
  "GET /api/profile": {
    operationId: "getProfile",
    summary: "Show your profile",
    caller: "profile:read",
    whileClosing: "refused",
    headers: ["If-None-Match"],
    returns: { 200: OwnProfile, 304: null },
    etagOf: "user",
  },
  "PUT /api/profile": {
    operationId: "updateProfile",
    summary: "Edit your profile",
    description:
      'Changes the fields that are present. `""` clears a field, except the name. `null` also clears the language.',
    caller: "profile:write",
    whileClosing: "refused",
    headers: ["If-Match"],
    body: ProfileUpdateSchema,
    returns: { 200: SavedProfile },
    etagOf: "user",
    limit: "profile",
  },
  "GET /api/users": {
    operationId: "listUsers",
    summary: "List users",
    description: `Newest first. For guests, a page has at most ${GUEST_LIST_MAX} entries, and searches are limited. ` +
      WHO_SEES_PEOPLE,
    caller: "public",
    tokens: "users:read",
    whileClosing: "open",
    query: UserListSchema,
    returns: { 200: UserList },
    sends: ["Link"],
    errors: ["NOT_FOUND"],
  },
  "GET /api/users/{id}": {
    operationId: "getUser",
    summary: "Show a user",
    description: WHO_SEES_PEOPLE,
    caller: "public",
    tokens: "users:read",
    whileClosing: "open",
    headers: ["If-None-Match"],
    returns: { 200: OneUser, 304: null },
    etagOf: "data",
    errors: ["NOT_FOUND"],
  },
  "POST /api/users": {
    operationId: "inviteUser",
    summary: "Invite someone",
    description: "Creates a user and emails an invitation. Your own address must be confirmed.",
    caller: "users:invite",
    whileClosing: "refused",
    needsVerifiedEmail: true,
    body: InvitationSchema,
    returns: { 201: InvitedUser },
    errors: ["REGISTRATION_CLOSED", "EMAIL_TAKEN"],
    isRepeatable: true,
    limit: "mail",
  },
});
