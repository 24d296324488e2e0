import { type Context, page, type PageResponse } from "fresh";
import CopyToken from "../../../../islands/CopyToken.tsx";
import { actorIn, type Principal } from "../../../../lib/access/principal.ts";
import { type AppAct, AppActSchema } from "../../../../lib/clients/app_form.ts";
import { createSecret, deleteClient, deleteSecret } from "../../../../lib/admin/client_acts.ts";
import { endGrantsOfClient } from "../../../../lib/admin/client_grants.ts";
import { getClient, type ListedClient } from "../../../../lib/admin/clients.ts";
import { PROGRAMS } from "../../../../lib/clients/programs.ts";
import { findClient } from "../../../../lib/clients/registrations.ts";
import { type Language, textsIn } from "../../../../lib/texts/texts.ts";
import { Moment } from "../../../../lib/ui/account/Origin.tsx";
import { proofLabels } from "../../../../lib/ui/account/ProofFields.tsx";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../lib/ui/form/FormMessage.tsx";
import { Times } from "../../../../lib/ui/list/Times.tsx";
import { nothingHere } from "../../../../lib/web/authentication/require_user.ts";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import { withData } from "../../../../lib/web/pages/page_data.ts";
import {
  EMPTY_PROVEN_FORM,
  findMissingProof,
  type ProvenFormState,
  submitWithProof,
} from "../../../../lib/web/pages/proof.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { showOnce, takeShownOnce } from "../../../../lib/web/pages/shown_once.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { AdminPage } from "../../(_components)/AdminPage.tsx";
import { ReasonAndProof } from "../../(_components)/ReasonAndProof.tsx";

const PATH = "/admin/apps";
/** What the lines to copy have in place of a secret that is shown no longer. */
const NO_SECRET = "...";
/** By its HTML name, which the types of a textarea lack. */
const READ_ONLY: object = { readonly: true };

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  async GET(ctx) {
    const { secret, headers } = await takeShownOnce(ctx, `${PATH}/${ctx.params.client}`);
    const form = { ...EMPTY_PROVEN_FORM, proof: await findMissingProof(ctx) };
    return await withClient(ctx, page(form, { headers }), secret);
  },
  async POST(ctx) {
    if (await findClient(ctx.state.services, ctx.params.client) === null) throw nothingHere();
    const result = await submitWithProof(ctx, AppActSchema, (input, principal) => act(ctx, input, principal), {
      errorText: ({ code }, { admin: { apps } }) => code === "TOO_MANY" ? apps.tooManySecrets : undefined,
    });
    return await withClient(ctx, result, null);
  },
});

async function act(ctx: Context<State>, input: AppAct, principal: Principal): Promise<Response> {
  const { services } = ctx.state;
  const { client: id } = ctx.params;
  const { reason, action, deleteSecret: n } = input;
  const path = `${PATH}/${id}`;
  const by = actorIn(principal);
  if (n !== undefined) {
    await deleteSecret(services, { id, n, by, reason });
    return redirectWithNotice(ctx, path, "app_secret_deleted");
  }
  switch (action) {
    case "end":
      await endGrantsOfClient(services, { clientId: id, by, reason });
      return redirectWithNotice(ctx, path, "admin_grants_ended");
    case "secret": {
      const { secret } = await createSecret(services, { id, by, reason });
      return await showOnce(ctx, redirectWithNotice(ctx, path, "app_secret_created"), { path, secret });
    }
    case "delete":
      await deleteClient(services, { id, by, reason });
      return redirectWithNotice(ctx, PATH, "app_deleted");
  }
}

function withClient(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>, secret: string | null) {
  const { services } = ctx.state;
  return withData(result, async () => ({ app: await getClient(services, ctx.params.client), secret }));
}

export default define.page<typeof handler>(function AppPage({ data, state: { language, services } }) {
  const { app, secret, message, details } = data;
  const catalog = textsIn(language);
  const { admin, proof: proofTexts } = catalog;
  const { apps: texts } = admin;
  const { baseUrl: issuer, brand } = services.config;
  return (
    <AdminPage
      language={language}
      title={app.name}
      isName
      message={message}
      back={{ href: PATH, text: texts.title }}
    >
      <Times locale={language.locale} />
      <FormMessage message={message} details={details} labels={{ reason: admin.reason, ...proofLabels(proofTexts) }} />
      {secret !== null && (
        <section class="card callout good" aria-labelledby="new-secret">
          <h2 id="new-secret">{texts.newSecret}</h2>
          <p>{texts.neverAgain}</p>
          <CopyToken texts={texts.copySecret} token={secret} />
        </section>
      )}
      <p>{texts.people({ count: app.people })} · {texts.signIns({ count: app.grants })}</p>
      {app.made === null && <p>{texts.ofFile}</p>}
      <p class="actions">
        {app.made !== null && <a class="button secondary" href={`${PATH}/${app.id}/edit`}>{texts.edit}</a>}
        <a class="button secondary" href={`${PATH}/${app.id}/logo`}>{texts.logo.change}</a>
      </p>
      <Settings app={app} issuer={issuer} language={language} />
      <Programs
        values={{ brand: brand.name, issuer, clientId: app.id, secret: secret ?? NO_SECRET }}
        language={language}
      />
      <Acts app={app} form={data} language={language} />
    </AdminPage>
  );
});

/** What the program must know. */
function Settings({ app, issuer, language }: { app: ListedClient; issuer: string; language: Language }) {
  const { admin: { apps: texts } } = textsIn(language);
  const lists = [
    [texts.fields.redirect_uris, app.redirectUris],
    [texts.fields.post_logout_redirect_uris, app.postLogoutRedirectUris],
    [texts.fields.groups, app.groups],
  ] as const;
  return (
    <section class="card" aria-labelledby="settings-title">
      <h2 id="settings-title">{texts.settings}</h2>
      <p>{texts.settingsLead}</p>
      <dl>
        {([
          [texts.issuer, issuer],
          [texts.clientId, app.id],
          [texts.fields.scope, app.scopes.join(" ")],
        ] as const).map(([label, value]) => <Fact key={label} label={label} values={[value]} />)}
        <dt class="meta">{texts.secret}</dt>
        <dd>{app.isPublic ? texts.noSecret : texts.shownOnce}</dd>
        {lists.filter(([, values]) => values.length > 0).map(([label, values]) => (
          <Fact key={label} label={label} values={values} />
        ))}
      </dl>
    </section>
  );
}

function Fact({ label, values }: { label: string; values: readonly string[] }) {
  return (
    <>
      <dt class="meta">{label}</dt>
      {values.map((value) => (
        <dd key={value}>
          <code class="selectable" dir="ltr">{value}</code>
        </dd>
      ))}
    </>
  );
}

function Programs(
  { values, language }: { values: Parameters<typeof PROGRAMS[number]["lines"]>[0]; language: Language },
) {
  const { admin: { apps: texts } } = textsIn(language);
  return (
    <section class="card" aria-labelledby="programs-title">
      <h2 id="programs-title">{texts.programs}</h2>
      <p>{texts.programsLead}</p>
      {PROGRAMS.map(({ name, callback, lines }) => (
        <details key={name}>
          <summary>{name}</summary>
          <p>
            {texts.callback} <code dir="ltr">{callback(values.brand)}</code>
          </p>
          <textarea
            {...READ_ONLY}
            dir="ltr"
            rows={lines(values).split("\n").length}
            spellcheck={false}
            aria-label={name}
          >
            {lines(values)}
          </textarea>
        </details>
      ))}
    </section>
  );
}

/** What can be done with the app: one reason, and a button for each act. */
function Acts({ app, form, language }: { app: ListedClient; form: ProvenFormState; language: Language }) {
  const catalog = textsIn(language);
  const { admin: { apps: texts } } = catalog;
  return (
    <section class="card" aria-labelledby="acts-title">
      <h2 id="acts-title">{texts.acts}</h2>
      <form method="post" action={`${PATH}/${app.id}`} novalidate>
        <FormId />
        <ReasonAndProof form={form} texts={catalog} isRequired />
        <div class="actions">
          {app.made !== null && (
            // First, because the Enter key presses it.
            <button class="secondary" type="submit" name="action" value="secret">{texts.makeSecret}</button>
          )}
          <button class="secondary" type="submit" name="action" value="end">{texts.end}</button>
          {app.made !== null && (
            <button class="danger" type="submit" name="action" value="delete">{texts.delete}</button>
          )}
        </div>
        <p class="hint">{texts.endLead}</p>
        {app.made?.secrets.map(({ n, createdAt }) => (
          <p key={n} class="actions">
            <span>
              {texts.secretOf({ n })} <Moment date={createdAt} locale={language.locale} />
            </span>
            <button class="secondary small" type="submit" name="deleteSecret" value={n}>
              {texts.deleteSecret({ n })}
            </button>
          </p>
        ))}
        {app.made !== null && !app.isPublic && app.made.secrets.length === 0 && <p>{texts.secretsGone}</p>}
      </form>
    </section>
  );
}
