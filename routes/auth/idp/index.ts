import { idpStep, redirectUri, withAttemptCookies } from "../../../lib/http/idp_sign_in.ts";
import { define } from "../../../lib/http/state.ts";

export const handler = define.handlers({
  GET: (ctx) =>
    idpStep(ctx, async (idp) => {
      const { config } = ctx.state.services;
      const { url, attempt } = await idp.startSignIn(redirectUri(config));
      return withAttemptCookies(ctx.redirect(url), attempt, config);
    }),
});
