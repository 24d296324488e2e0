import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { updateProfile } from "../../lib/accounts/profile.ts";
import { expectedVersion } from "../../lib/http/json.ts";
import { profileView } from "../../lib/users/user_views.ts";
import { OwnProfile, SavedProfile } from "../../lib/users/schema.ts";
import { ProfileUpdateSchema } from "../../lib/accounts/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "getProfile",
    summary: "Show your profile",
    caller: "profile:read",
    whileClosing: "refused",
    headers: ["If-None-Match"],
    returns: { 200: OwnProfile, 304: null },
    etagOf: "user",
  }, ({ caller }) => ({ user: profileView(caller.user) })),
  PUT: endpoint({
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
  }, async ({ services, caller, input, ctx }) => {
    const isExpected = expectedVersion(ctx.req, profileView);
    return { success: true, user: profileView(await updateProfile(services, caller, input, isExpected)) };
  }),
});
