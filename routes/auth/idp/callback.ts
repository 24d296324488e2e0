import { attemptNext, endAttempt, idpStep, requireAttempt } from "../../../lib/http/idp_sign_in.ts";
import { withSessionCookie } from "../../../lib/http/session_cookie.ts";
import { define } from "../../../lib/http/state.ts";
import { signInWithIdp } from "../../../lib/sign_in/idp_login.ts";

export const handler = define.handlers({
  /** HEAD must not redeem the code, which works only once. */
  HEAD: (ctx) => ctx.redirect("/login"),
  GET: (ctx) =>
    endAttempt(ctx, () =>
      idpStep(ctx, async (idp) => {
        const { services } = ctx.state;
        const identity = await idp.finishSignIn({ parameters: ctx.url.searchParams, attempt: requireAttempt(ctx) });
        const { session } = await signInWithIdp(services, identity, await ctx.state.presentedSessionIds());
        return withSessionCookie(ctx.redirect(attemptNext(ctx) ?? "/dashboard"), session, services);
      })),
});
