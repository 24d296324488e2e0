import { type Context, page, type PageResponse } from "fresh";
import { findOnlyProvider, providerName } from "../../../../lib/accounts/identities.ts";
import {
  endOtherSessions,
  endOwnSession,
  type ListedSession,
  listSessions,
} from "../../../../lib/access/session_list.ts";
import { forgetOwnDevice, listOwnDevices } from "../../../../lib/access/device_list.ts";
import { deviceKind, deviceName } from "../../../../lib/activity/device_name.ts";
import type { TrustedDevice } from "../../../../lib/activity/trusted_device.ts";
import { EMPTY_FORM, type FormState, submitForm } from "../../../../lib/web/pages/form.ts";
import { withData } from "../../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import { deviceTokens } from "../../../../lib/web/authentication/presented_tokens.ts";
import { requirePrincipal } from "../../../../lib/web/authentication/require_user.ts";
import { withoutSessionCookie } from "../../../../lib/web/authentication/session_cookie.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { SessionsFormSchema } from "../../../../lib/sign_in/schema.ts";
import { DOT, Moment } from "../../../../lib/ui/account/Origin.tsx";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../lib/ui/form/FormMessage.tsx";
import { Row } from "../../../../lib/ui/list/Row.tsx";
import { Times } from "../../../../lib/ui/list/Times.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import { eventText } from "../../../../lib/texts/event_text.ts";
import { type Language, textsIn } from "../../../../lib/texts/texts.ts";
import { Isolated } from "../../../../lib/ui/Isolated.tsx";

const PATH = "/settings/sessions";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "write" }, {
  GET: (ctx) => withSessions(ctx, page(EMPTY_FORM)),
  async POST(ctx) {
    const { services } = ctx.state;
    const result = await submitForm(ctx, SessionsFormSchema, async (input) => {
      const principal = await requirePrincipal(ctx);
      if (input.action === "end_others") {
        await endOtherSessions(services, principal);
        return redirectWithNotice(ctx, PATH, "other_sessions_ended");
      }
      if (input.action === "forget") {
        await forgetOwnDevice(services, principal, input.id);
        return redirectWithNotice(ctx, PATH, "device_forgotten");
      }
      await endOwnSession(services, principal, input.id);
      return input.id === principal.session.id
        ? withoutSessionCookie(redirectWithNotice(ctx, "/login", "logged_out"), services)
        : redirectWithNotice(ctx, PATH, "session_ended");
    }, {
      errorText: ({ code }, { settings: { sessions } }, { action }) =>
        code !== "NOT_FOUND" ? undefined : action === "forget" ? sessions.trusted.gone : sessions.gone,
    });
    return await withSessions(ctx, result);
  },
});

/** Adds the sessions, the current one first, the name of the provider if the account has one, and trusted devices. */
function withSessions(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  return withData(result, async () => {
    const { services } = ctx.state;
    const principal = await requirePrincipal(ctx);
    const sessions = await listSessions(services, principal);
    sessions.sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
    const key = sessions.some(({ method }) => method === "idp")
      ? await findOnlyProvider(services.db, principal.user.id)
      : undefined;
    const devices = await listOwnDevices(services, principal, deviceTokens(ctx.req, services.config));
    return { sessions, provider: key && providerName(services.config, key), devices };
  });
}

export default define.page<typeof handler>(function SessionsPage({ data, state: { language } }) {
  const { sessions, provider, devices, message } = data;
  const { frame, settings: { sessions: texts } } = textsIn(language);
  return (
    <Page title={texts.title} windowTitle={message && frame.titleWithError({ title: texts.title })}>
      <p>{texts.lead}</p>
      <Times locale={language.locale} />
      <FormMessage message={message} details={{}} labels={{}} />
      <ul class="rows">
        {sessions.map((session) => (
          <Session key={session.id} session={session} provider={provider} language={language} />
        ))}
      </ul>
      {sessions.length === 1 ? <p class="hint">{texts.alone}</p> : (
        <form class="actions" method="post" action={PATH}>
          <FormId />
          <button class="danger" type="submit" name="action" value="end_others">{texts.endOthers}</button>
          <p class="hint">{texts.othersHint}</p>
        </form>
      )}
      {devices.length > 0 && (
        <>
          <h2>{texts.trusted.title}</h2>
          <p class="hint">{texts.trusted.lead}</p>
          <ul class="rows">
            {devices.map((device) => <Device key={device.id} device={device} language={language} />)}
          </ul>
        </>
      )}
    </Page>
  );
});

interface SessionProps {
  session: ListedSession;
  /** The name of the provider, if it is known. */
  provider?: string;
  language: Language;
}

function Session({ session, provider, language }: SessionProps) {
  const { id, isCurrent, method, userAgent, clientAddress, createdAt, lastSeenAt } = session;
  const { settings: { sessions: texts } } = textsIn(language);
  const device = deviceName(userAgent, language);
  const lastSeen = (
    <>
      {texts.lastSeen} <Moment date={lastSeenAt} locale={language.locale} />
    </>
  );
  return (
    <Row
      icon={deviceKind(userAgent)}
      title={<h2>{device}</h2>}
      tag={isCurrent && <span class="tag good">{texts.current}</span>}
      action={
        <form method="post" action={PATH}>
          <FormId />
          <input type="hidden" name="id" value={id} />
          <button class="secondary small" type="submit" name="action" value="end" aria-label={texts.endOf({ device })}>
            {texts.end}
          </button>
        </form>
      }
    >
      <p class="meta">
        {isCurrent ? texts.active : lastSeen}
        {DOT}
        <Isolated isLtr>{clientAddress}</Isolated>
        {DOT + eventText(language, { kind: "session.started", details: { method, provider } }) + DOT}
        <Moment date={createdAt} locale={language.locale} />
      </p>
    </Row>
  );
}

function Device({ device: { id, isCurrent, userAgent, trustedUntil }, language }: {
  device: TrustedDevice;
  language: Language;
}) {
  const { settings: { sessions: { current, trusted } } } = textsIn(language);
  const device = deviceName(userAgent, language);
  return (
    <Row
      icon={deviceKind(userAgent)}
      title={<h3>{device}</h3>}
      tag={isCurrent && <span class="tag good">{current}</span>}
      action={
        <form method="post" action={PATH}>
          <FormId />
          <input type="hidden" name="id" value={id} />
          <button
            class="secondary small"
            type="submit"
            name="action"
            value="forget"
            aria-label={trusted.forgetOf({ device })}
          >
            {trusted.forget}
          </button>
        </form>
      }
    >
      <p class="meta">
        {trusted.until} <Moment date={trustedUntil} locale={language.locale} />
      </p>
    </Row>
  );
}
