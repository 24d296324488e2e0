import { sessionClientOf } from "../../../lib/http/client.ts";
import { endAttempt, idpStep, requireAttempt } from "../../../lib/http/idp_sign_in.ts";
import { withSessionCookie } from "../../../lib/http/principal/session_cookie.ts";
import { define } from "../../../lib/http/state.ts";
import { keepIdentity, SIGN_IN_METHODS_PAGE } from "../../../lib/sign_in/providers/identity_link.ts";
import { signInWithIdp } from "../../../lib/sign_in/providers/idp_login.ts";
import { takeAttempt } from "../../../lib/sign_in/providers/provider_attempt.ts";

export const handler = define.handlers({
  /** HEAD must not redeem the code, which works only once. */
  HEAD: (ctx) => ctx.redirect("/login"),
  GET: (ctx) =>
    endAttempt(ctx, (goal) =>
      idpStep(ctx, goal, async (idp) => {
        const { services } = ctx.state;
        const attempt = requireAttempt(ctx);
        const taken = await takeAttempt(services, attempt.state);
        const identity = await idp.finishSignIn({ parameters: ctx.url.searchParams, attempt });
        if (taken.purpose === "link") {
          const token = await keepIdentity(services, taken, identity);
          return ctx.redirect(`${SIGN_IN_METHODS_PAGE}/confirm?${new URLSearchParams({ token })}`);
        }
        const client = await sessionClientOf(ctx);
        const presentedSessionIds = [...client.presentedSessionIds, ...taken.sessionIds];
        const { session } = await signInWithIdp(services, identity, { ...client, presentedSessionIds });
        return withSessionCookie(ctx.redirect(taken.next ?? "/dashboard"), session, services);
      })),
});
