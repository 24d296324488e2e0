import { page } from "fresh";
import { withNames } from "../../../../lib/authorization_server/connected_apps.ts";
import { type AccountReport, reportAccount } from "../../../../lib/admin/account_report.ts";
import { deviceKind, deviceName } from "../../../../lib/activity/device_name.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../../lib/web/state.ts";
import { DOT, Moment } from "../../../../lib/ui/account/Origin.tsx";
import { Row } from "../../../../lib/ui/list/Row.tsx";
import { Avatar } from "../../../../lib/ui/Avatar.tsx";
import { Times } from "../../../../lib/ui/list/Times.tsx";
import { type Language, textsIn } from "../../../../lib/texts/texts.ts";
import { AccountTags } from "../../(_components)/AccountTags.tsx";
import { AuditTable } from "../../(_components)/AuditTable.tsx";
import { MailTable } from "../../(_components)/MailTable.tsx";
import { hasUploads } from "../../../../lib/config/uploads_setting.ts";
import { AccountActs } from "../(_components)/AccountActs.tsx";
import { AccountFacts } from "../(_components)/AccountFacts.tsx";
import { AccountGroups } from "../(_components)/AccountGroups.tsx";
import { LoginReport } from "../(_components)/LoginReport.tsx";
import { Isolated } from "../../../../lib/ui/Isolated.tsx";
import { isolated } from "../../../../lib/texts/isolation.ts";
import { AdminPage } from "../../(_components)/AdminPage.tsx";

const PATH = "/admin/users";
/** How many of the newest are shown. */
const EVENTS = 20;
const MAILS = 10;

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  async GET(ctx) {
    const { services } = ctx.state;
    const { events, ...report } = await reportAccount(services, ctx.params.id);
    const named = events.map((event) => withNames(event, services.config));
    return page({ report: { ...report, events: named } });
  },
});

export default define.page<typeof handler>(function AccountPage({ data: { report }, state: { language, services } }) {
  const { admin, adminAccount: texts } = textsIn(language);
  const { id, name, email, avatar, createdAt, mails, events } = report;
  return (
    <AdminPage
      language={language}
      title={name}
      isName
      face={<Avatar name={name} src={avatar} size={96} />}
      windowTitle={isolated(name, language.direction)}
      back={{ href: PATH, text: texts.back }}
    >
      <Times locale={language.locale} />
      <p class="meta">
        <Isolated isLtr>{email}</Isolated> <AccountTags account={report} texts={admin.list} />
      </p>
      <p class="meta">
        {admin.list.created} <Moment date={createdAt} locale={language.locale} />
        {DOT + texts.id}{" "}
        <span class="selectable">
          <code>{id}</code>
        </span>
      </p>
      <div class="columns">
        <div>
          <LoginReport report={report} language={language} />
          <AccountActs report={report} language={language} />
          <div class="section-head">
            <h2>{texts.events}</h2>
            <a href={`/admin/events?who=${id}`}>{texts.allEvents}</a>
          </div>
          {events.length > 0 && (
            <AuditTable label={texts.events} events={events.slice(0, EVENTS)} isAccountKnown language={language} />
          )}
        </div>
        <div>
          <AccountFacts report={report} hasFiles={hasUploads(services.config, "files")} language={language} />
          <AccountGroups report={report} config={services.config} language={language} />
          <h2>{texts.sessions}</h2>
          <Sessions report={report} language={language} />
          <h2>{texts.emails}</h2>
          {mails.length === 0
            ? <p class="empty">{texts.noEmails}</p>
            : <MailTable label={texts.emails} mails={mails.slice(0, MAILS)} isRecipientKnown language={language} />}
        </div>
      </div>
    </AdminPage>
  );
});

function Sessions({ report: { sessions }, language }: { report: AccountReport; language: Language }) {
  const { adminAccount: texts } = textsIn(language);
  if (sessions.count === 0) return <p class="empty">{texts.noSessions}</p>;
  return (
    <ul class="rows">
      {sessions.list.map(({ id, userAgent, clientAddress, lastSeenAt }) => (
        <Row key={id} icon={deviceKind(userAgent)} title={<p class="event">{deviceName(userAgent, language)}</p>}>
          <p class="meta">
            {texts.facts.lastSeen} <Moment date={lastSeenAt} locale={language.locale} />
            {clientAddress !== null && (
              <>
                {DOT}
                <Isolated isLtr>{clientAddress}</Isolated>
              </>
            )}
          </p>
        </Row>
      ))}
    </ul>
  );
}
