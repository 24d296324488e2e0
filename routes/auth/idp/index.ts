import { idpStep, withAttemptCookies } from "../../../lib/http/idp_sign_in.ts";
import { nextPath } from "../../../lib/http/pages/next_path.ts";
import { define } from "../../../lib/http/state.ts";
import { startAttempt } from "../../../lib/sign_in/providers/provider_attempt.ts";

export const handler = define.handlers({
  GET: (ctx) => {
    const next = nextPath(ctx);
    return idpStep(ctx, { purpose: "sign_in", next }, async (idp) => {
      const { services } = ctx.state;
      const { url, attempt } = await idp.startSignIn();
      const sessionIds = await ctx.state.presentedSessionIds();
      await startAttempt(services, attempt.state, { purpose: "sign_in", userId: null, sessionIds, next });
      return withAttemptCookies(ctx.redirect(url), attempt, services.config);
    });
  },
});
