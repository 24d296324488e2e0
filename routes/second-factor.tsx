import { type Context, page, type PageResponse } from "fresh";
import { findSignInRules } from "../lib/access/sign_in_rules.ts";
import { sessionClientOf } from "../lib/web/client.ts";
import { EMPTY_FORM, type FormState, submitForm } from "../lib/web/pages/form.ts";
import { withData } from "../lib/web/pages/page_data.ts";
import { nextPath, withAccountChoice, withNext } from "../lib/web/pages/next_path.ts";
import { LINK_PAGE_HEADERS } from "../lib/web/middleware/no_index.ts";
import { redirectWithNotice } from "../lib/web/pages/notice.ts";
import {
  redirectSignedIn,
  SECOND_STEP_PAGE,
  withoutSecondStepCookie,
} from "../lib/web/authentication/sign_in_response.ts";
import { findSecondStep, requireSecondStep } from "../lib/web/authentication/waiting_sign_in.ts";
import { countRequest } from "../lib/web/middleware/rate_limit.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define, type State } from "../lib/web/state.ts";
import { SecondStepFormSchema, type SecondStepInput } from "../lib/sign_in/schema.ts";
import { requestFactorReset } from "../lib/sign_in/second_factor/factor_reset.ts";
import { finishSignIn, type WaitingSignIn } from "../lib/sign_in/second_factor/finish_sign_in.ts";
import { passkeyPlace } from "../lib/web/pages/passkeys.ts";
import { AccountLine } from "../lib/ui/account/AccountLine.tsx";
import { PasskeyRequest } from "../lib/ui/account/PasskeyRequest.tsx";
import { Field } from "../lib/ui/form/Field.tsx";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { durationText, waitText } from "../lib/texts/date_format.ts";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "everyone", whileClosing: "open", limit: "proof" }, {
  GET: (ctx) => withFactors(ctx, page(EMPTY_FORM, { headers: LINK_PAGE_HEADERS })),
  async POST(ctx) {
    const result = await submitForm(ctx, SecondStepFormSchema, async (input) => {
      const waiting = await requireSecondStep(ctx);
      if (input.action === "lost") return await emailLink(ctx, waiting);
      return await finish(ctx, waiting, { proof: input, trustDevice: input.trustDevice });
    }, {
      redirectOnError: ({ code }) =>
        code === "UNAUTHENTICATED"
          ? redirectWithNotice(ctx, withNext("/login", nextPath(ctx)), "second_step_expired")
          : null,
      errorText: (error, { secondFactor: { step } }, { action }) => {
        if (error.is("RATE_LIMITED") && action !== "lost") {
          return step.tooMany({
            wait: waitText(error.data.retryAfterSeconds, ctx.state.language.locale),
          });
        }
        if (!error.is("PROOF_WRONG")) return undefined;
        if (error.data.proof === "credential") return step.passkey.refused;
        return error.data.methods === undefined ? step.wrong : step.unreadable;
      },
    });
    return await withFactors(ctx, result);
  },
});

async function finish(ctx: Context<State>, waiting: WaitingSignIn, input: SecondStepInput): Promise<Response> {
  const { services } = ctx.state;
  const { session } = await finishSignIn(services, waiting, { ...input, client: await sessionClientOf(ctx) });
  return withoutSecondStepCookie(redirectSignedIn(ctx, session, { next: nextPath(ctx) }), services.config);
}

async function emailLink(ctx: Context<State>, waiting: WaitingSignIn): Promise<Response> {
  await countRequest(ctx, "mail");
  const isExhausted = await requestFactorReset(ctx.state.services, waiting);
  const notice = isExhausted ? "emails_used_up" : "factor_reset_sent";
  const page = isForRecovery(ctx.url) ? RECOVERY_VIEW : SECOND_STEP_PAGE;
  return redirectWithNotice(ctx, withNext(page, nextPath(ctx)), notice);
}

/** Adds what the page shows about the account. Redirects to the login page when no sign-in waits. */
function withFactors(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  return withData(result, async () => {
    const waiting = await findSecondStep(ctx);
    if (waiting === null) return ctx.redirect(withNext("/login", nextPath(ctx)), 303);
    const { services } = ctx.state;
    const { secondFactors } = await findSignInRules(services, waiting.userId);
    const { factorResetSeconds, trustDeviceSeconds } = services.config;
    return {
      user: waiting.user,
      methods: secondFactors,
      place: passkeyPlace(ctx),
      factorResetSeconds,
      trustDeviceSeconds,
    };
  });
}

export default define.page<typeof handler>(function SecondFactorPage({ data, url, state }) {
  const { values, message, details, user, methods, place, factorResetSeconds, trustDeviceSeconds } = data;
  const { frame, proof, secondFactor: { step } } = textsIn(state.language);
  const [hasCode, hasRecoveryCodes, hasPasskey] = (["totp", "recovery_code", "passkey"] as const).map((method) =>
    methods.includes(method)
  );
  const next = nextPath({ url, state });
  const isRecovery = hasRecoveryCodes && isForRecovery(url);
  const texts = isRecovery ? step.recovery : hasCode ? step : { ...step, ...step.passkey };
  const lostTitle = !hasCode ? step.passkey.lostTitle : hasRecoveryCodes ? step.lostCodesTitle : step.lostAppTitle;
  const wait = durationText(factorResetSeconds, state.language.locale);
  const action = withNext(isRecovery ? RECOVERY_VIEW : SECOND_STEP_PAGE, next);
  const kind = isRecovery ? TEXT_CODE : APP_CODE;
  const trustChoice = trustDeviceSeconds > 0 && !isRecovery && (
    <label class="choice">
      <input type="checkbox" name="trustDevice" checked={values.trustDevice !== undefined} />
      {step.trustDevice({ time: durationText(trustDeviceSeconds, state.language.locale) })}
    </label>
  );
  return (
    <Page
      title={texts.title}
      windowTitle={message && frame.titleWithError({ title: texts.title })}
      isAuth
      below={
        <span>
          {step.notYou} <a href={withNext(withAccountChoice("/login"), next)}>{step.otherAccount}</a>
        </span>
      }
    >
      <p>{texts.lead}</p>
      <AccountLine {...user} />
      {hasPasskey && !isRecovery && (
        <form method="post" action={action} novalidate>
          <FormId />
          <input type="hidden" name="action" value="passkey" />
          {!hasCode && <FormMessage message={details.credential?.[0] ?? message} details={{}} labels={{}} />}
          {!hasCode && trustChoice}
          <PasskeyRequest
            kind="get"
            name="credential"
            label={proof.usePasskey}
            isSecondary={hasCode}
            isSubmitButton={!hasCode}
            place={place}
            missing={hasCode ? undefined : proof.passkeyMissing}
            noScripts={hasCode ? undefined : proof.passkeyNeedsScripts}
            or={hasCode ? proof.or : undefined}
            problems={proof.passkeyProblems}
          />
        </form>
      )}
      {hasCode && (
        <form method="post" action={action} novalidate>
          <FormId />
          <FormMessage
            message={details.credential?.[0] ?? message}
            details={details.credential ? {} : details}
            labels={{ code: texts.code }}
          />
          <Field name="code" label={texts.code} required autofocus errors={details.code} {...kind} />
          {trustChoice}
          <button type="submit" name="action" value="enter">{step.submit}</button>
        </form>
      )}
      {hasRecoveryCodes && (
        <p>
          <a href={withNext(isRecovery ? SECOND_STEP_PAGE : RECOVERY_VIEW, next)}>
            {isRecovery ? step.recovery.back : step.recovery.link}
          </a>
        </p>
      )}
      {factorResetSeconds > 0 && isRecovery === hasRecoveryCodes && (
        <details>
          <summary>{lostTitle}</summary>
          <form method="post" action={action}>
            <FormId />
            <p>{(hasCode ? step.lost : step.passkey.lost)({ wait })}</p>
            <button class="secondary" type="submit" name="action" value="lost">{step.lostSubmit}</button>
          </form>
        </details>
      )}
    </Page>
  );
});

/** The view of this page for people without their app. */
const RECOVERY_VIEW = `${SECOND_STEP_PAGE}?with=recovery`;

function isForRecovery({ searchParams }: URL): boolean {
  return searchParams.get("with") === "recovery";
}

const APP_CODE = { isCode: true, inputmode: "numeric", autocomplete: "one-time-code" } as const;
/** Recovery codes have letters too. No program knows them. */
const TEXT_CODE = { dir: "ltr", autocomplete: "off", autocapitalize: "off", spellcheck: false } as const;
