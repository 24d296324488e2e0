import { page } from "fresh";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../../lib/web/state.ts";
import { hasUploads } from "../../../../lib/config/uploads_setting.ts";
import { Page } from "../../../../lib/ui/Page.tsx";
import { durationText } from "../../../../lib/texts/date_format.ts";
import { textsIn } from "../../../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "refused" }, {
  GET: ({ state: { services } }) =>
    page({
      deletionGraceSeconds: services.config.deletionGraceSeconds,
      hasFiles: hasUploads(services.config, "files"),
    }),
});

export default define.page<typeof handler>(function DataPage({ data, state }) {
  const { closing } = textsIn(state.language);
  const texts = closing.data;
  const { deletionGraceSeconds, hasFiles } = data;
  return (
    <Page title={texts.title}>
      <section class="card">
        <h2>{texts.downloadTitle}</h2>
        <p>{texts.download({ files: hasFiles ? "yes" : "no" })}</p>
        <p>
          <a class="button" href="/settings/data/export">{texts.downloadSubmit}</a>
        </p>
      </section>
      <section class="card">
        <h2>{texts.closeTitle}</h2>
        <p>
          {deletionGraceSeconds === 0
            ? texts.closeAtOnce
            : texts.close({ days: durationText(deletionGraceSeconds, state.language.locale) })}
        </p>
        <p>
          <a class="button danger" href="/close-account">{texts.closeLink}</a>
        </p>
      </section>
    </Page>
  );
});
