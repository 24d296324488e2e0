import type { AuditedEvent } from "../../../lib/activity/audit_list.ts";
import { deviceName } from "../../../lib/activity/device_name.ts";
import { END_REASONS, FACTOR_END_REASONS } from "../../../lib/activity/kinds.ts";
import { adminEventText } from "../../../lib/texts/admin_event_text.ts";
import { type Language, type Texts, textsIn } from "../../../lib/texts/texts.ts";
import { Isolated } from "../../../lib/ui/Isolated.tsx";
import { CellTime } from "../../../lib/ui/list/CellTime.tsx";
import { type Column, Table } from "../../../lib/ui/list/Table.tsx";

interface AuditTableProps {
  /** What the events have in common. */
  label: string;
  events: AuditedEvent[];
  /** Whether the page is about their account. */
  isAccountKnown?: boolean;
  language: Language;
}

const CODES = [...END_REASONS, ...FACTOR_END_REASONS];

/** Events of the audit log. Each leads to the account that it is about. */
export function AuditTable({ label, events, isAccountKnown = false, language }: AuditTableProps) {
  const { log: { heads } } = textsIn(language).admin;
  const columns: Column<AuditedEvent>[] = [
    { head: heads.event, is: "title", cell: (event) => <What event={event} language={language} /> },
    ...isAccountKnown ? [] : [{ head: heads.account, cell: ({ user }: AuditedEvent) => user && <Account {...user} /> }],
    { head: heads.by, label: heads.byLabel, cell: (event) => <By event={event} language={language} /> },
    { head: heads.device, is: "extra", cell: (event) => <Device event={event} language={language} /> },
    {
      head: heads.time,
      is: "end",
      cell: ({ createdAt }) => <CellTime date={createdAt} locale={language.locale} />,
    },
  ];
  return <Table label={label} columns={columns} entries={events} />;
}

function What({ event, language }: { event: AuditedEvent; language: Language }) {
  const { activity, admin: { log: texts } } = textsIn(language);
  const reason = reasonIn(event);
  return (
    <>
      <span class="event">{adminEventText(language, event)}</span>
      <p class="meta">
        <span class="tag">
          <code>{event.kind}</code>
        </span>{" "}
        {event.details.newDevice === true && <span class="tag warn">{activity.newDevice}</span>}
        {reason !== null && texts.reason({ reason })}
      </p>
    </>
  );
}

function Account({ id, name }: { id: string; name: string }) {
  return (
    <a class="event row-link" href={`/admin/users/${id}`}>
      <Isolated>{name}</Isolated>
    </a>
  );
}

function By({ event, language }: { event: AuditedEvent; language: Language }) {
  return actorText(event, textsIn(language).admin.log);
}

/** Says who caused an event, unless it was the owner of the account. */
function actorText({ actor, user }: AuditedEvent, texts: Texts["admin"]["log"]) {
  if (actor === null) return null;
  if (actor === "command line") return texts.commandLine;
  if (typeof actor === "string") return <Isolated isLtr>{actor}</Isolated>;
  const { id, name, token } = actor;
  if (token !== undefined) return texts.withToken({ name, token: token.name ?? token.id });
  return id === user?.id ? null : <Isolated>{name}</Isolated>;
}

function Device({ event: { clientAddress, device }, language }: { event: AuditedEvent; language: Language }) {
  if (clientAddress === null) return null;
  return (
    <>
      {deviceName(device, language)} <Isolated class="meta" isLtr>{clientAddress}</Isolated>
    </>
  );
}

/** Returns the words of an admin. The causes that events name by codes are part of their texts. */
function reasonIn({ reason, actor }: AuditedEvent): string | null {
  return actor === null || (CODES as readonly (string | null)[]).includes(reason) ? null : reason;
}
