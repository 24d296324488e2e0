import { idpStep, withAttemptCookies } from "../../../lib/http/idp_sign_in.ts";
import { nextPath } from "../../../lib/http/pages/next_path.ts";
import { define } from "../../../lib/http/state.ts";

export const handler = define.handlers({
  GET: (ctx) =>
    idpStep(ctx, async (idp) => {
      const { url, attempt } = await idp.startSignIn();
      return withAttemptCookies(ctx.redirect(url), { ...attempt, next: nextPath(ctx) }, ctx.state.services.config);
    }),
});
