import { profileView } from "../../lib/accounts/user_views.ts";
import { ok } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/input/parse.ts";
import { requireUser } from "../../lib/http/require_user.ts";
import { define } from "../../lib/http/state.ts";
import { updateProfile } from "../../lib/accounts/profile.ts";
import { ProfileUpdateSchema } from "../../lib/schemas/profile.ts";

export const handler = define.handlers({
  async GET(ctx) {
    return ok({ user: profileView(await requireUser(ctx)) });
  },
  async PUT(ctx) {
    const { id } = await requireUser(ctx);
    const update = await parseJson(ctx.req, ProfileUpdateSchema);
    const user = await updateProfile(ctx.state.services, id, update);
    return ok({ success: true, user: profileView(user) });
  },
});
