import { getUser } from "../../../lib/accounts/user_directory.ts";
import { userView } from "../../../lib/accounts/user_views.ts";
import { okOrNotModified } from "../../../lib/http/json.ts";
import { define } from "../../../lib/http/state.ts";
import { viewerId } from "../../../lib/http/principal/viewer.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const user = await getUser(ctx.state.services, { id: ctx.params.id, viewerId: await viewerId(ctx) });
    const data = userView(user);
    return okOrNotModified(ctx.req, { data }, data);
  },
});
