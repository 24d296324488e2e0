import { listUsers } from "../../../lib/accounts/user_directory.ts";
import { userListView } from "../../../lib/accounts/user_views.ts";
import { ok } from "../../../lib/http/json.ts";
import { parseQuery } from "../../../lib/http/parse.ts";
import { define } from "../../../lib/http/state.ts";
import { viewerId } from "../../../lib/http/viewer.ts";
import { UserListSchema } from "../../../lib/schemas/user_list.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const query = parseQuery(ctx.url, UserListSchema);
    const { users, nextCursor } = await listUsers(ctx.state.services, { ...query, viewerId: await viewerId(ctx) });
    return ok({ data: users.map(userListView), nextCursor });
  },
});
