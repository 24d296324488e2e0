import type { AuditedEvent, EventActor } from "../../../lib/activity/audit_list.ts";
import { deviceName } from "../../../lib/activity/device_name.ts";
import { adminEventText } from "../../../lib/texts/admin_event_text.ts";
import { type Language, type Texts, textsIn } from "../../../lib/texts/texts.ts";
import { END_REASONS, eventDeclaration, FACTOR_END_REASONS } from "../../../lib/activity/kinds.ts";
import { Origin } from "../../../lib/ui/account/Origin.tsx";
import { Row } from "../../../lib/ui/list/Row.tsx";

interface AuditRowProps {
  event: AuditedEvent;
  /** Whether the page is about the account. */
  isAccountKnown?: boolean;
  language: Language;
}

const CODES = [...END_REASONS, ...FACTOR_END_REASONS];

/** An event in the audit log. */
export function AuditRow({ event, isAccountKnown, language }: AuditRowProps) {
  const { kind, createdAt, user, clientAddress, device, details } = event;
  const { activity, admin: { log: texts } } = textsIn(language);
  const by = actorText(event, texts);
  const reason = reasonIn(event);
  return (
    <Row
      icon={eventDeclaration(kind).icon}
      title={<p class="event">{adminEventText(language, event)}</p>}
      tag={details.newDevice === true && <span class="tag warn">{activity.newDevice}</span>}
    >
      {!isAccountKnown && user !== null && (
        <p class="meta">
          {texts.about({
            name: user.name,
            link: (name) => <a href={`/admin/users/${user.id}`}>{name}</a>,
          })}
        </p>
      )}
      {by !== null && <p class="meta">{by}</p>}
      {reason !== null && <p class="meta">{texts.reason({ reason })}</p>}
      <Origin
        label={clientAddress === null ? undefined : deviceName(device, language)}
        date={createdAt}
        address={clientAddress}
        locale={language.locale}
      />
      <p class="meta">
        <code>{kind}</code>
      </p>
    </Row>
  );
}

/** Returns the words of an admin. The causes that events name by codes are part of their texts. */
function reasonIn({ reason, actor }: AuditedEvent): string | null {
  return actor === null || (CODES as readonly (string | null)[]).includes(reason) ? null : reason;
}

/** Says who caused an event, unless it was the owner of the account. */
function actorText({ actor, user }: { actor: EventActor; user: AuditedEvent["user"] }, texts: Texts["admin"]["log"]) {
  if (actor === null) return null;
  if (actor === "command line") return texts.commandLine;
  const { id, name, token } = actor;
  if (token !== undefined) return texts.withToken({ name, token: token.name ?? token.id });
  return id === user?.id ? null : texts.by({ name });
}
