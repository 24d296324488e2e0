import { inviteUser } from "../../../lib/accounts/invitation.ts";
import { listUsers } from "../../../lib/users/user_directory.ts";
import type { User } from "../../../lib/users/user.ts";
import { userListView } from "../../../lib/users/user_views.ts";
import { created, okList } from "../../../lib/http/json.ts";
import { decodeJson, parseQuery, readJson } from "../../../lib/http/parse.ts";
import { runOncePerKey } from "../../../lib/web/idempotency/idempotency_key.ts";
import { countRequest, limited } from "../../../lib/web/middleware/rate_limit.ts";
import { requireVerifiedCaller } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { viewerId } from "../../../lib/web/authentication/viewer.ts";
import { InvitationSchema } from "../../../lib/schemas/account.ts";
import { ListSchema } from "../../../lib/schemas/list.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const query = parseQuery(ctx.url, ListSchema);
    const { users, nextCursor } = await listUsers(ctx.state.services, { ...query, viewerId: await viewerId(ctx) });
    return okList(ctx.url, { data: users.map(userListView), nextCursor });
  },
  POST: limited("mail", async (ctx) => {
    const caller = await requireVerifiedCaller(ctx);
    const body = await readJson(ctx.req);
    return await runOncePerKey(ctx, { userId: caller.user.id, body }, async (answerAtCommit) => {
      const invitation = decodeJson(body, InvitationSchema);
      await countRequest(ctx);
      const respond = (invited: User) => created({ data: userListView(invited) });
      return respond(await inviteUser(ctx.state.services, caller, invitation, answerAtCommit(respond)));
    });
  }),
});
