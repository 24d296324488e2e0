import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { inviteUser } from "../../../lib/accounts/invitation.ts";
import { listUsers } from "../../../lib/users/user_directory.ts";
import type { User } from "../../../lib/users/user_row.ts";
import { userListView } from "../../../lib/users/user_views.ts";
import { forViewer } from "../../../lib/web/authentication/viewer.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/users", async ({ services, query, ctx }) => {
    const { users, nextCursor } = await listUsers(services, { ...query, ...forViewer(ctx) });
    return { data: users.map(userListView), nextCursor };
  }),
  POST: endpoint("POST /api/users", async ({ services, caller, input, atCommit }) => {
    const view = (invited: User) => ({ data: userListView(invited) });
    return view(await inviteUser(services, caller, input, atCommit(view)));
  }),
});
