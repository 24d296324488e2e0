import { type Context, page, type PageResponse } from "fresh";
import type { ComponentChildren } from "preact";
import type { Principal } from "../../lib/access/principal.ts";
import type { ActiveSession } from "../../lib/access/session.ts";
import type { MultipartForm } from "../../lib/http/multipart.ts";
import { EMPTY_FORM, type FormState, submitForm } from "../../lib/web/pages/form.ts";
import { withData } from "../../lib/web/pages/page_data.ts";
import { nextPath, pathOfPage, withNext } from "../../lib/web/pages/next_path.ts";
import { redirectWithNotice } from "../../lib/web/pages/notice.ts";
import { passkeyPlace } from "../../lib/web/pages/passkeys.ts";
import { proofPurpose } from "../../lib/web/pages/proof_purpose.ts";
import { emailCode, missingProofText, proveOnPage, wrongProofText } from "../../lib/web/pages/proof.ts";
import { requirePrincipal } from "../../lib/web/authentication/require_user.ts";
import { withSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { currentSession, REQUIRED_PAGE } from "../../lib/web/authentication/current_session.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../lib/web/state.ts";
import { ReauthenticationFormSchema } from "../../lib/sign_in/schema.ts";
import { listSecondFactors, listSessionProofs } from "../../lib/sign_in/proof.ts";
import { AccountLine } from "../../lib/ui/account/AccountLine.tsx";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { ProofFields, proofLabels } from "../../lib/ui/account/ProofFields.tsx";
import { type Texts, textsIn } from "../../lib/texts/texts.ts";

export const handler = pageHandlers(
  { who: "memberToRead", whileClosing: "open", whileWaiting: "open", limit: "proof" },
  {
    GET: (ctx) => withAccount(ctx, page(EMPTY_FORM)),
    async POST(ctx) {
      const result = await submitForm(ctx, ReauthenticationFormSchema, async ({ action }, fields) => {
        const principal = await requirePrincipal(ctx);
        return action === "send" ? await sendCode(ctx, principal) : await prove(ctx, principal, fields);
      }, {
        errorText: (error, { proof }) => wrongProofText(error, proof) ?? missingProofText(error, proof.enter),
      });
      return await withAccount(ctx, result);
    },
  },
);

async function sendCode(ctx: Context<State>, principal: Principal): Promise<Response> {
  await emailCode(ctx, principal);
  const path = withNext("/reauthenticate?sent=true", nextPath(ctx));
  // The first time, the page says so by itself, and its field takes the focus.
  return ctx.url.searchParams.has("sent") ? redirectWithNotice(ctx, path, "code_sent") : ctx.redirect(path, 303);
}

async function prove(ctx: Context<State>, principal: Principal, fields: MultipartForm): Promise<Response> {
  const hasLimits = isAboutSecondFactor(ctx.url) || proofPurpose(nextPath(ctx)).use === "access";
  const only = hasLimits ? await acceptedMethods(ctx, principal.session) : undefined;
  const { extended } = await proveOnPage(ctx, principal, fields, only);
  return withSessionCookie(ctx.redirect(nextPath(ctx) ?? "/dashboard", 303), extended, ctx.state.services);
}

/** Whether the page asks only for a second factor, because an app asks for two and the session has one. */
function isAboutSecondFactor({ searchParams }: URL): boolean {
  return searchParams.has("second");
}

/** Returns no method if the page asks for a second factor and the account has none. */
async function acceptedMethods(ctx: Context<State>, session: ActiveSession) {
  const { services } = ctx.state;
  if (isAboutSecondFactor(ctx.url)) return await listSecondFactors(services, session.user.id);
  return await listSessionProofs(services, session, proofPurpose(nextPath(ctx)).use);
}

/** Adds what the page shows about the account. Redirects to the login page when there is no session. */
function withAccount(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  return withData(result, async () => {
    const session = await currentSession(ctx);
    if (session === null) return ctx.redirect(withNext("/login", pathOfPage(ctx)), 303);
    const methods = await acceptedMethods(ctx, session);
    if (methods.length === 0) {
      const next = nextPath(ctx);
      return ctx.redirect(session.isWaiting ? withNext(REQUIRED_PAGE, next) : next ?? "/dashboard", 303);
    }
    return { user: session.user, methods, place: passkeyPlace(ctx) };
  });
}

export default define.page<typeof handler>(function ReauthenticatePage({ data, url, state }) {
  const { methods, place, user, message, details } = data;
  const catalog = textsIn(state.language);
  const { proof: texts, frame } = catalog;
  const next = nextPath({ url, state });
  const { name: purpose, cancelPath } = proofPurpose(next);
  const hasCode = methods.includes("code");
  const isSent = hasCode && (url.searchParams.has("sent") || message !== undefined);
  const view = isSent ? "?sent=true" : isAboutSecondFactor(url) ? "?second=true" : "";
  const action = withNext(`/reauthenticate${view}`, next);
  return (
    <Page
      title={texts.title}
      windowTitle={message && frame.titleWithError({ title: texts.title })}
      isAuth
      below={
        <>
          {methods.includes("password") && (
            <a href={withNext(`/forgot-password?${new URLSearchParams({ email: user.email })}`, next)}>
              {texts.forgot}
            </a>
          )}
          <a href={cancelPath}>{texts.cancel}</a>
        </>
      }
    >
      <p class="lead">{purpose === null ? texts.lead : texts.purposes[purpose]}</p>
      <AccountLine {...user} />
      {hasCode && <p>{isSent ? texts.codeSentLead({ email: user.email }) : texts.codeLead({ email: user.email })}</p>}
      {(!hasCode || isSent) && (
        <Form action={action}>
          <FormMessage message={message} details={details} labels={proofLabels(texts)} />
          {/* Tells password managers whose password this is. */}
          <input type="text" name="username" autocomplete="username" value={user.email} readonly hidden />
          <ProofFields proof={{ methods, place }} details={details} isFocused texts={catalog} />
          {methods[0] !== "passkey" && <button type="submit" name="action" value="prove">{texts.submit}</button>}
        </Form>
      )}
      {hasCode && <SendCode action={action} isFirst={!isSent} texts={texts} />}
    </Page>
  );
});

function SendCode({ action, isFirst, texts }: { action: string; isFirst: boolean; texts: Texts["proof"] }) {
  return (
    <Form action={action}>
      <button class={isFirst ? undefined : "secondary"} type="submit" name="action" value="send">
        {isFirst ? texts.sendCode : texts.sendNewCode}
      </button>
    </Form>
  );
}

function Form({ action, children }: { action: string; children: ComponentChildren }) {
  return (
    <form method="post" action={action} novalidate>
      <FormId />
      {children}
    </form>
  );
}
