import type { ComponentChildren } from "preact";
import { page } from "fresh";
import type { Count } from "../../lib/admin/count.ts";
import { type Need, readOverview } from "../../lib/admin/overview.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import { CellTime } from "../../lib/ui/list/CellTime.tsx";
import { Row } from "../../lib/ui/list/Row.tsx";
import { Times } from "../../lib/ui/list/Times.tsx";
import { hasUploads } from "../../lib/config/uploads_setting.ts";
import { sizeText } from "../../lib/texts/size_text.ts";
import { type Language, type Texts, textsIn } from "../../lib/texts/texts.ts";
import { AdminPage } from "./(_components)/AdminPage.tsx";
import { MailTable } from "./(_components)/MailTable.tsx";
import { Sparkline } from "./(_components)/Sparkline.tsx";

/** Where someone sees more of what needs them. */
const NEEDED = {
  failedEmails: "/admin/emails?status=failed",
  waitingEmails: "/admin/emails?status=waiting",
  webhooks: "/admin/webhooks",
  failedLogins: "/admin/events?kind=login.failed&period=day",
};

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  GET: async (ctx) => page({ overview: await readOverview(ctx.state.services) }),
});

export default define.page<typeof handler>(
  function OverviewPage({ data: { overview }, state: { language, services } }) {
    const { admin, setup, sizes } = textsIn(language);
    const { overview: texts } = admin;
    const { accounts, logins, loginsByDay, emails, storage, alerts, needs } = overview;
    const needed = new Set(needs.map(({ kind }) => kind));
    const tile = { texts: admin };
    return (
      <AdminPage language={language} title={admin.pages.overview}>
        <Times locale={language.locale} />
        <h2>{texts.needs}</h2>
        <Needs needs={needs} texts={texts} />
        <Tiles title={texts.accounts}>
          <Tile label={texts.all} count={accounts.all} href="/admin/users" {...tile} />
          <Tile label={texts.newThisWeek} count={accounts.newThisWeek} {...tile} />
          <Tile label={texts.unverified} count={accounts.unverified} href="/admin/users?status=unverified" {...tile} />
          <Tile label={texts.suspended} count={accounts.suspended} href="/admin/users?status=suspended" {...tile} />
          <Tile label={texts.closing} count={accounts.closing} href="/admin/users?status=closing" {...tile} />
          <Tile label={texts.admins} count={accounts.admins} href="/admin/users?role=admin" {...tile} />
        </Tiles>
        <Tiles title={texts.logins}>
          <Tile label={texts.day} count={logins.day} href="/admin/events?kind=session.started&period=day" {...tile} />
          <Tile
            label={texts.week}
            count={logins.week}
            href="/admin/events?kind=session.started&period=week"
            {...tile}
          />
          <Tile
            label={texts.failedDay}
            count={logins.failedDay}
            href={NEEDED.failedLogins}
            isNeeded={needed.has("failedLogins")}
            {...tile}
          />
          {loginsByDay.length > 1 && (
            <li class="tile meta">
              <span>{texts.byDay({ days: loginsByDay.length })}</span>
              <Sparkline numbers={loginsByDay} locale={language.locale} />
            </li>
          )}
        </Tiles>
        <Tiles title={texts.emails}>
          <Tile
            label={texts.waiting}
            count={emails.waiting}
            href={NEEDED.waitingEmails}
            isNeeded={needed.has("waitingEmails")}
            {...tile}
          >
            {emails.oldestWaiting !== null && <Oldest date={emails.oldestWaiting} language={language} />}
          </Tile>
          <Tile
            label={texts.failed}
            count={emails.failed}
            href={NEEDED.failedEmails}
            isNeeded={needed.has("failedEmails")}
            {...tile}
          />
        </Tiles>
        {hasUploads(services.config, "files") && (
          <Tiles title={texts.storage}>
            <li class="tile meta">
              <span>{texts.files}</span> <strong>{storageText(storage, texts, sizes)}</strong>
            </li>
          </Tiles>
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

function Needs({ needs, texts }: { needs: Need[]; texts: Texts["admin"]["overview"] }) {
  if (needs.length === 0) return <p>{texts.noNeeds}</p>;
  return (
    <ul class="rows">
      {needs.map(({ kind, count }) => (
        <Row
          key={kind}
          icon="warning"
          title={
            <p class="event">
              <a href={NEEDED[kind]}>{texts.need[kind]({ count })}</a>
            </p>
          }
        >
          {null}
        </Row>
      ))}
    </ul>
  );
}

function Tiles({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      <ul class="tiles">{children}</ul>
    </section>
  );
}

interface TileProps {
  label: string;
  count: Count;
  /** The list of what is counted. */
  href?: string;
  /** Whether it needs someone. */
  isNeeded?: boolean;
  texts: Texts["admin"];
  children?: ComponentChildren;
}

/** A number, above what it counts. */
function Tile({ label, count, href, isNeeded, texts, children }: TileProps) {
  return (
    <li class={isNeeded ? "tile meta warn" : "tile meta"}>
      {children}
      {href === undefined ? <span>{label}</span> : <a class="row-link" href={href}>{label}</a>}{" "}
      <strong>{texts.count({ ...count })}</strong>
    </li>
  );
}

function Oldest({ date, language }: { date: Date; language: Language }) {
  return (
    <small>
      {textsIn(language).admin.overview.oldest} <CellTime date={date} locale={language.locale} />
    </small>
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
