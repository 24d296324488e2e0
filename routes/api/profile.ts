import { profileView } from "../../lib/users/user_views.ts";
import { entityTag, expectedVersion, ok, okOrNotModified } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { requireCaller, requireUser } from "../../lib/web/authentication/require_user.ts";
import { define } from "../../lib/web/state.ts";
import { updateProfile } from "../../lib/accounts/profile.ts";
import { ProfileUpdateSchema } from "../../lib/schemas/profile.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const user = profileView(await requireUser(ctx));
    return okOrNotModified(ctx.req, { user }, user);
  },
  async PUT(ctx) {
    const caller = await requireCaller(ctx);
    const update = await parseJson(ctx.req, ProfileUpdateSchema);
    const isExpected = expectedVersion(ctx.req, profileView);
    const user = profileView(await updateProfile(ctx.state.services, caller, update, isExpected));
    return ok({ success: true, user }, { ETag: entityTag(user) });
  },
});
