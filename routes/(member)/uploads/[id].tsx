import { type Context, page, type PageResponse } from "fresh";
import CopyToken from "../../../islands/CopyToken.tsx";
import { eventBy, lockCaller } from "../../../lib/access/principal.ts";
import { EMPTY_FORM, type FormState, submitForm } from "../../../lib/web/pages/form.ts";
import { withData } from "../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../lib/web/pages/notice.ts";
import { showOnce, takeShownOnce } from "../../../lib/web/pages/shown_once.ts";
import { requirePrincipal, requireUser } from "../../../lib/web/authentication/require_user.ts";
import { isShownInBrowser } from "../../../lib/web/files/object_response.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../lib/web/state.ts";
import { LINK_LIFETIMES, LinkFormSchema } from "../../../lib/uploads/schema.ts";
import { Moment } from "../../../lib/ui/account/Origin.tsx";
import { FileLink } from "../../../lib/ui/FileLink.tsx";
import { FormId } from "../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../lib/ui/form/FormMessage.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { Page } from "../../../lib/ui/Page.tsx";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { getPrivateFile } from "../../../lib/uploads/library.ts";
import { type Link, makeLink, revokeLinks } from "../../../lib/uploads/private/links.ts";
import { FileFacts, FileThumbnail } from "../(_components)/FileRow.tsx";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", uploads: "files", limit: "link" }, {
  async GET(ctx) {
    const { secret, headers } = await takeShownOnce(ctx, pathOf(ctx.params.id));
    return await withFile(ctx, page(EMPTY_FORM, { headers }), secret === null ? null : linkOf(secret));
  },
  async POST(ctx) {
    const { services } = ctx.state;
    const { id } = ctx.params;
    const result = await submitForm(ctx, LinkFormSchema, async (input) => {
      const principal = await requirePrincipal(ctx);
      const act = { id, by: eventBy(principal), lock: lockCaller(principal) };
      if (input.action === "end") {
        await revokeLinks(services, act);
        return redirectWithNotice(ctx, pathOf(id), "links_ended");
      }
      const { expiresIn: expiresInSeconds, download } = input;
      const { url, expiresAt } = await makeLink(services, { ...act, expiresInSeconds, download });
      const response = redirectWithNotice(ctx, pathOf(id), "link_created");
      return await showOnce(ctx, response, { path: pathOf(id), secret: `${expiresAt.toISOString()} ${url}` });
    }, { policy: ({ action }) => action === "end" ? "write" : undefined });
    return await withFile(ctx, result, null);
  },
});

const LIFETIMES = Object.keys(LINK_LIFETIMES) as (keyof typeof LINK_LIFETIMES)[];

function pathOf(id: string): string {
  return `/uploads/${id}`;
}

function linkOf(secret: string): Link {
  const [expiresAt, url] = secret.split(" ");
  return { url, expiresAt: new Date(expiresAt) };
}

function withFile(ctx: Context<State>, result: Response | PageResponse<FormState>, newLink: Link | null) {
  return withData(result, async () => ({
    file: await getPrivateFile(ctx.state.services, { id: ctx.params.id, userId: (await requireUser(ctx)).id }),
    newLink,
  }));
}

export default define.page<typeof handler>(function FilePage({ data, state: { language } }) {
  const { values, message, details, file, newLink } = data;
  const { frame, sharing: texts } = textsIn(language);
  const action = pathOf(file.id);
  const { expiresIn = String(LINK_LIFETIMES.hour) } = values;
  return (
    <Page
      title={texts.title}
      windowTitle={message && frame.titleWithError({ title: texts.title })}
      back={{ href: "/uploads#files", text: texts.back }}
      styles="/uploads.css"
    >
      <Times locale={language.locale} />
      <p class="lead">{texts.lead}</p>
      <ul class="rows">
        <li>
          <FileThumbnail {...file} />
          <div>
            <FileLink name={file.name} url={file.url} />
            <FileFacts file={file} language={language} />
          </div>
        </li>
      </ul>
      <FormMessage message={message} details={details} labels={{ expiresIn: texts.expiresIn }} />
      {newLink !== null && <NewLinkCard {...newLink} language={language} />}
      <section class="card">
        <h2>{texts.create}</h2>
        <form method="post" action={action}>
          <FormId />
          <input type="hidden" name="action" value="create" />
          <fieldset id="expiresIn" tabindex={-1} aria-describedby={details.expiresIn && "expiresIn-error"}>
            <legend>{texts.expiresIn}</legend>
            <div class="short-choices">
              {LIFETIMES.map((lifetime) => (
                <label key={lifetime} class="choice">
                  <input
                    type="radio"
                    name="expiresIn"
                    value={LINK_LIFETIMES[lifetime]}
                    checked={expiresIn === String(LINK_LIFETIMES[lifetime])}
                  />
                  {texts.lifetimes[lifetime]}
                </label>
              ))}
            </div>
            {details.expiresIn && <p class="field-error" id="expiresIn-error">{details.expiresIn.join(". ")}</p>}
          </fieldset>
          {isShownInBrowser(file.contentType) && (
            <label class="choice">
              <input type="checkbox" name="download" checked={values.download !== undefined} />
              {texts.download}
            </label>
          )}
          <button type="submit">{texts.create}</button>
        </form>
      </section>
      <section class="card">
        <h2>{texts.end}</h2>
        <p>{texts.endLead}</p>
        <form method="post" action={action}>
          <FormId />
          <button class="danger" type="submit" name="action" value="end">{texts.end}</button>
        </form>
      </section>
    </Page>
  );
});

function NewLinkCard({ url, expiresAt, language }: Link & { language: Language }) {
  const { copyLink, sharing: texts } = textsIn(language);
  return (
    <section class="card callout good" aria-labelledby="new-link">
      <h2 id="new-link">{texts.newLink}</h2>
      <p>{texts.neverAgain}</p>
      <p class="meta">
        {texts.worksUntil} <Moment date={expiresAt} locale={language.locale} />
      </p>
      <CopyToken texts={copyLink} token={url} />
    </section>
  );
}
