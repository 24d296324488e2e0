import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { inviteUser } from "../../../lib/accounts/invitation.ts";
import { pageAfterInvitation } from "../../../lib/accounts/return_address.ts";
import type { User } from "../../../lib/users/user_row.ts";
import { userListView } from "../../../lib/users/user_views.ts";
import { listPeople } from "../../../lib/web/people_list.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/users", async ({ query, ctx }) => {
    const { users, nextCursor } = await listPeople(ctx, query);
    return { data: users.map(userListView), nextCursor };
  }),
  POST: endpoint("POST /api/users", async ({ services, caller, input, atCommit }) => {
    const view = (invited: User) => ({ data: userListView(invited) });
    const next = pageAfterInvitation(input.next, services.config);
    return view(await inviteUser(services, caller, { ...input, next }, atCommit(view)));
  }),
});
