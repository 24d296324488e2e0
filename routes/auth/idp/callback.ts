import { signInWithIdp } from "../../../lib/sign_in/idp_login.ts";
import { endAttempt, idpStep, redirectUri, requireAttempt } from "../../../lib/http/idp_sign_in.ts";
import { withSessionCookie } from "../../../lib/http/session_cookie.ts";
import { define } from "../../../lib/http/state.ts";

export const handler = define.handlers({
  /** Who only looks must not spend the code. */
  HEAD: (ctx) => ctx.redirect("/login"),
  GET: (ctx) =>
    endAttempt(ctx, () =>
      idpStep(ctx, async (idp) => {
        const { services } = ctx.state;
        const identity = await idp.finishSignIn({
          parameters: ctx.url.searchParams,
          attempt: requireAttempt(ctx),
          redirectUri: redirectUri(services.config),
        });
        const { session } = await signInWithIdp(services, identity, await ctx.state.presentedSessionIds());
        return withSessionCookie(ctx.redirect("/dashboard"), session, services);
      })),
});
