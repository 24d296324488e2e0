import { getUser } from "../../../lib/users/user_directory.ts";
import { userView } from "../../../lib/users/user_views.ts";
import { okOrNotModified } from "../../../lib/http/json.ts";
import { define } from "../../../lib/web/state.ts";
import { viewerId } from "../../../lib/web/authentication/viewer.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const user = await getUser(ctx.state.services, { id: ctx.params.id, viewerId: await viewerId(ctx) });
    const data = userView(user);
    return okOrNotModified(ctx.req, { data }, data);
  },
});
