import { page } from "fresh";
import { readSetup, type SetupReport } from "../../lib/admin/setup_report.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { hasMailFolder } from "../../lib/web/pages/has_mail_folder.ts";
import { define } from "../../lib/web/state.ts";
import { Row } from "../../lib/ui/list/Row.tsx";
import { OutboxLink } from "../../lib/ui/OutboxLink.tsx";
import { textsIn } from "../../lib/texts/texts.ts";
import { AdminPage } from "./(_components)/AdminPage.tsx";

/** What the documents of the service say about each part. */
const CHAPTERS: Record<keyof SetupReport, string> = {
  https: "/docs/deployment.md#in-production",
  mail: "/docs/configuration.md#email",
  address: "/docs/operations.md#emails",
  database: "/docs/operations.md#backup",
  secret: "/docs/operations.md#replacing-app_secret",
};
const REGISTRATION_CHAPTER = "/docs/configuration.md#accounts";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  GET: async (ctx) => {
    const { services } = ctx.state;
    return page({
      report: await readSetup(services),
      registration: services.config.registration,
      hasOutbox: hasMailFolder(services),
    });
  },
});

export default define.page<typeof handler>(function SetupReportPage({ data, state: { language } }) {
  const { setup: { report: texts }, frame } = textsIn(language);
  const { report, registration, hasOutbox } = data;
  return (
    <AdminPage language={language} title={texts.title}>
      <p>{texts.lead}</p>
      <ul class="rows">
        {(Object.keys(report) as (keyof SetupReport)[]).map((part) => (
          <Row
            key={part}
            icon={report[part] ? "shield" : "warning"}
            title={
              <h2>
                <a href={CHAPTERS[part]}>{texts.parts[part].title}</a>
              </h2>
            }
          >
            <p class="meta">{report[part] ? texts.parts[part].good : texts.parts[part].missing}</p>
          </Row>
        ))}
        <Row
          icon="person"
          title={
            <h2>
              <a href={REGISTRATION_CHAPTER}>{texts.registration.title}</a>
            </h2>
          }
        >
          <p class="meta">{texts.registration[registration]}</p>
        </Row>
      </ul>
      {hasOutbox && <OutboxLink texts={frame} />}
      <p>
        <a class="button" href="/admin">{texts.done}</a>
      </p>
    </AdminPage>
  );
});
