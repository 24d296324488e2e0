import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { inviteUser } from "../../../lib/accounts/invitation.ts";
import { pageAfterInvitation } from "../../../lib/accounts/return_address.ts";
import type { ListedUser, User } from "../../../lib/users/user_row.ts";
import { addressView, userListView } from "../../../lib/users/user_views.ts";
import { showsAddresses } from "../../../lib/web/authentication/viewer.ts";
import { listPeople, WHO_SEES_PEOPLE } from "../../../lib/web/people_list.ts";
import { GUEST_LIST_MAX, UserListSchema } from "../../../lib/schemas/list.ts";
import { InvitedUser, UserList } from "../../../lib/users/schema.ts";
import { InvitationSchema } from "../../../lib/sign_in/schema.ts";

export const handler = endpoints({
  GET: endpoint({
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
  }, async ({ query, ctx }) => {
    const { users, nextCursor } = await listPeople(ctx, query);
    const withAddresses = (user: ListedUser) => ({ ...userListView(user), ...addressView(user) });
    return { data: users.map(showsAddresses(ctx) ? withAddresses : userListView), nextCursor };
  }),
  POST: endpoint({
    operationId: "inviteUser",
    summary: "Invite someone",
    description: "Creates a user and emails an invitation. Your own address must be confirmed. An app that acts as " +
      "itself invites in its own name.",
    caller: "users:invite",
    whileClosing: "refused",
    needsVerifiedEmail: true,
    body: InvitationSchema,
    returns: { 201: InvitedUser },
    errors: ["REGISTRATION_CLOSED", "EMAIL_TAKEN"],
    isRepeatable: true,
    limit: "mail",
  }, async ({ services, caller, input, atCommit }) => {
    const view = (invited: User) => ({ data: userListView(invited) });
    const next = pageAfterInvitation(input.next, services.config);
    return view(await inviteUser(services, caller, { ...input, next }, atCommit(view)));
  }),
});
