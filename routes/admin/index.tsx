import { page } from "fresh";
import type { Count } from "../../lib/admin/count.ts";
import { type Overview, readOverview } from "../../lib/admin/overview.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import { Moment } from "../../lib/ui/account/Origin.tsx";
import { Times } from "../../lib/ui/list/Times.tsx";
import { hasUploads } from "../../lib/config/uploads_setting.ts";
import { sizeText } from "../../lib/texts/size_text.ts";
import { type Language, type Texts, textsIn } from "../../lib/texts/texts.ts";
import { MailTable } from "./(_components)/MailTable.tsx";
import { AdminPage } from "./(_components)/AdminPage.tsx";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  GET: async (ctx) => page({ overview: await readOverview(ctx.state.services) }),
});

export default define.page<typeof handler>(
  function OverviewPage({ data: { overview }, state: { language, services } }) {
    const { admin, setup, sizes } = textsIn(language);
    const { overview: texts } = admin;
    const { accounts, logins, emails, storage, alerts } = overview;
    return (
      <AdminPage language={language} title={admin.pages.overview}>
        <Times locale={language.locale} />
        <section class="card">
          <h2>{texts.accounts}</h2>
          <ul class="figures">
            <Figure label={texts.all} count={accounts.all} href="/admin/users" texts={admin} />
            <Figure label={texts.newThisWeek} count={accounts.newThisWeek} texts={admin} />
            <Figure
              label={texts.unverified}
              count={accounts.unverified}
              href="/admin/users?status=unverified"
              texts={admin}
            />
            <Figure
              label={texts.suspended}
              count={accounts.suspended}
              href="/admin/users?status=suspended"
              texts={admin}
            />
            <Figure label={texts.closing} count={accounts.closing} href="/admin/users?status=closing" texts={admin} />
            <Figure label={texts.admins} count={accounts.admins} texts={admin} />
          </ul>
        </section>
        <section class="card">
          <h2>{texts.logins}</h2>
          <ul class="figures">
            <Figure
              label={texts.day}
              count={logins.day}
              href="/admin/events?kind=session.started&period=day"
              texts={admin}
            />
            <Figure
              label={texts.week}
              count={logins.week}
              href="/admin/events?kind=session.started&period=week"
              texts={admin}
            />
            <Figure
              label={texts.failedDay}
              count={logins.failedDay}
              href="/admin/events?kind=login.failed&period=day"
              texts={admin}
            />
          </ul>
        </section>
        <Emails emails={emails} language={language} />
        {hasUploads(services.config, "files") && (
          <section class="card">
            <h2>{texts.storage}</h2>
            <ul class="figures">
              <li>
                <span>{texts.files}</span>
                <strong>{storageText(storage, texts, sizes)}</strong>
              </li>
            </ul>
          </section>
        )}
        <h2>{texts.alerts}</h2>
        <p>{texts.alertsLead}</p>
        {alerts.length === 0
          ? <p class="empty">{texts.noAlerts}</p>
          : <MailTable label={texts.alerts} mails={alerts} language={language} />}
        <p>
          <a href="/admin/setup">{setup.report.title}</a>
        </p>
      </AdminPage>
    );
  },
);

function Emails({ emails, language }: { emails: Overview["emails"]; language: Language }) {
  const { admin } = textsIn(language);
  const { overview: texts } = admin;
  return (
    <section class="card">
      <h2>{texts.emails}</h2>
      <ul class="figures">
        <Figure label={texts.waiting} count={emails.waiting} href="/admin/emails?status=waiting" texts={admin} />
        {emails.oldestWaiting !== null && (
          <li>
            <span>{texts.oldest}</span>
            <strong>
              <Moment date={emails.oldestWaiting} locale={language.locale} />
            </strong>
          </li>
        )}
        <Figure label={texts.failed} count={emails.failed} href="/admin/emails?status=failed" texts={admin} />
      </ul>
    </section>
  );
}

interface FigureProps {
  label: string;
  count: Count;
  /** The list of what is counted. */
  href?: string;
  texts: Texts["admin"];
}

function Figure({ label, count, href, texts }: FigureProps) {
  return (
    <li>
      {href === undefined ? <span>{label}</span> : <a href={href}>{label}</a>}
      <strong>{texts.count({ ...count })}</strong>
    </li>
  );
}

function storageText(
  { number, precision }: Count,
  { about }: Texts["admin"]["overview"],
  sizes: Texts["sizes"],
): string {
  const size = sizeText(number, sizes);
  return precision === "exact" ? size : about({ size });
}
