import { page } from "fresh";
import { readSetup, type SetupReport } from "../../lib/admin/setup_report.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import { Row } from "../../lib/ui/list/Row.tsx";
import { textsIn } from "../../lib/texts/texts.ts";
import { AdminPage } from "./(_components)/AdminPage.tsx";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  GET: async (ctx) => {
    const { services } = ctx.state;
    return page({ report: await readSetup(services), registration: services.config.registration });
  },
});

export default define.page<typeof handler>(function SetupReportPage({ data, state: { language } }) {
  const { setup: { report: texts } } = textsIn(language);
  const { report, registration } = data;
  return (
    <AdminPage language={language} title={texts.title}>
      <p>{texts.lead}</p>
      <ul class="rows">
        {(Object.keys(report) as (keyof SetupReport)[]).map((part) => (
          <Row key={part} icon={report[part] ? "shield" : "warning"} title={<h2>{texts.parts[part].title}</h2>}>
            <p class="meta">{report[part] ? texts.parts[part].good : texts.parts[part].missing}</p>
          </Row>
        ))}
        <Row icon="person" title={<h2>{texts.registration.title}</h2>}>
          <p class="meta">{texts.registration[registration]}</p>
        </Row>
      </ul>
      <p>
        <a class="button" href="/admin">{texts.done}</a>
      </p>
    </AdminPage>
  );
});
