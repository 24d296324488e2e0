import { type Context, page, type PageResponse } from "fresh";
import {
  type ConnectedApp,
  describeApp,
  disconnectApp,
  listConnectedApps,
} from "../../../../lib/authorization_server/connected_apps.ts";
import { scopeTexts, type UsedResource } from "../../../../lib/authorization_server/authorize/scope_texts.ts";
import { deviceName } from "../../../../lib/activity/device_name.ts";
import { requireRegistrations } from "../../../../lib/config/features.ts";
import { AppsFormSchema } from "../../../../lib/sign_in/schema.ts";
import { type Language, textsIn } from "../../../../lib/texts/texts.ts";
import { DOT, Moment } from "../../../../lib/ui/account/Origin.tsx";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../lib/ui/form/FormMessage.tsx";
import { Row } from "../../../../lib/ui/list/Row.tsx";
import { Times } from "../../../../lib/ui/list/Times.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import { requirePrincipal } from "../../../../lib/web/authentication/require_user.ts";
import { EMPTY_FORM, type FormState, submitForm } from "../../../../lib/web/pages/form.ts";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import { withData } from "../../../../lib/web/pages/page_data.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { Isolated } from "../../../../lib/ui/Isolated.tsx";

const PATH = "/settings/apps";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "write" }, {
  GET: (ctx) => withApps(ctx, page(EMPTY_FORM)),
  async POST(ctx) {
    const { services } = ctx.state;
    const result = await submitForm(ctx, AppsFormSchema, async ({ id }) => {
      await disconnectApp(services, await requirePrincipal(ctx), id);
      return redirectWithNotice(ctx, PATH, "app_disconnected");
    }, { errorText: ({ code }, { settings }) => code === "NOT_FOUND" ? settings.apps.gone : undefined });
    return await withApps(ctx, result);
  },
});

/** Adds the apps, and how people recognize them. */
function withApps(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  const { services } = ctx.state;
  requireRegistrations(services.config);
  return withData(result, async () => {
    const { user } = await requirePrincipal(ctx);
    const apps = await listConnectedApps(services, user);
    return {
      apps: apps.map((app) => ({
        ...app,
        ...describeApp(services.config, app.clientId),
        allowed: allowedTexts(ctx, app),
      })),
    };
  });
}

/** What the person has allowed an app, in words. A resource that left the file has none. */
function allowedTexts(
  { state: { services: { config }, language } }: Context<State>,
  { scopes, resources }: ConnectedApp,
): string[] {
  const known = resources.flatMap(({ resource: uri, scopes }): UsedResource[] => {
    const resource = config.registrations?.resources.get(uri);
    return resource === undefined ? [] : [[resource, scopes]];
  });
  const others = scopes.filter((scope) => !resources.some((each) => each.scopes.includes(scope)));
  return scopeTexts({ scopes: others, resources: known }, language, config);
}

export default define.page<typeof handler>(function AppsPage({ data: { apps, message }, state: { language } }) {
  const { frame, settings: { apps: texts } } = textsIn(language);
  return (
    <Page title={texts.title} windowTitle={message && frame.titleWithError({ title: texts.title })}>
      {apps.length > 0 && <p>{texts.lead}</p>}
      <Times locale={language.locale} />
      <FormMessage message={message} details={{}} labels={{}} />
      {apps.length === 0 ? <p class="empty">{texts.none}</p> : (
        <>
          <ul class="rows">
            {apps.map((app) => <App key={app.id} app={app} language={language} />)}
          </ul>
          <p class="hint">{texts.hint}</p>
        </>
      )}
    </Page>
  );
});

interface AppProps {
  app: ConnectedApp & ReturnType<typeof describeApp> & { allowed: string[] };
  language: Language;
}

function App({ app, language }: AppProps) {
  const { settings: { apps: texts } } = textsIn(language);
  const { id, name, host, allowed, isFirstParty, isOffline, grants, devices, createdAt, lastUsedAt } = app;
  return (
    <Row
      icon="program"
      title={
        <h2>
          <Isolated>{name}</Isolated>
        </h2>
      }
      tag={isFirstParty && <span class="tag good">{texts.firstParty}</span>}
      action={
        <form method="post" action={PATH}>
          <FormId />
          <button
            class="secondary small"
            type="submit"
            name="id"
            value={id}
            aria-label={texts.disconnectOf({ app: name })}
          >
            {texts.disconnect}
          </button>
        </form>
      }
    >
      <p class="meta">
        {host !== null && (
          <>
            {texts.host} <Isolated isLtr>{host}</Isolated>
            {DOT}
          </>
        )}
        {texts.signIns({ count: grants })}
        {isOffline && DOT + texts.offline}
      </p>
      {devices.map(({ userAgent, address, createdAt }) => (
        <p class="meta" key={createdAt.toISOString()}>
          {texts.device} {deviceName(userAgent, language)}
          {DOT}
          <Isolated isLtr>{address}</Isolated>
          {DOT}
          <Moment date={createdAt} locale={language.locale} />
        </p>
      ))}
      <p class="meta">{texts.allowed({ scopes: allowed.join(DOT) })}</p>
      <p class="meta">
        {texts.lastUsed} <Moment date={lastUsedAt} locale={language.locale} />
        {DOT}
        {texts.since} <Moment date={createdAt} locale={language.locale} />
      </p>
    </Row>
  );
}
