import { InvitationSchema } from "../schemas/account.ts";
import { ListSchema } from "../schemas/list.ts";
import { ProfileUpdateSchema } from "../schemas/profile.ts";
import { InvitedUser, OneUser, OwnProfile, SavedProfile, UserList } from "../schemas/views/users.ts";
import { operations } from "./operation.ts";

/** Profiles, one's own and those of others. */
export const PEOPLE = operations({
  "GET /api/profile": {
    summary: "Show your profile",
    access: "session",
    headers: ["If-None-Match"],
    returns: { 200: OwnProfile, 304: null },
    sends: ["ETag"],
  },
  "PUT /api/profile": {
    summary: "Edit your profile",
    description:
      'Changes the fields that are present. `""` clears a field, except the name. `null` also clears the avatar. ' +
      "The avatar must be an https address or a file that this service stores.",
    access: "session",
    headers: ["If-Match"],
    body: ProfileUpdateSchema,
    returns: { 200: SavedProfile },
    sends: ["ETag"],
  },
  "GET /api/users": {
    summary: "List users",
    description: "Newest first.",
    access: "public",
    query: ListSchema,
    returns: { 200: UserList },
    sends: ["Link"],
  },
  "GET /api/users/{id}": {
    summary: "Show a user",
    access: "public",
    headers: ["If-None-Match"],
    returns: { 200: OneUser, 304: null },
    sends: ["ETag"],
    errors: ["NOT_FOUND"],
  },
  "POST /api/users": {
    summary: "Invite someone",
    description: "Creates a user and emails an invitation. Your own address must be confirmed.",
    access: "session",
    body: InvitationSchema,
    returns: { 201: InvitedUser },
    errors: ["EMAIL_NOT_VERIFIED", "EMAIL_TAKEN"],
    isRepeatable: true,
    limit: "mail",
  },
});
