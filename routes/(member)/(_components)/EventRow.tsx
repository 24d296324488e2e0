import { deviceName } from "../../../lib/activity/device_name.ts";
import type { ListedEvent } from "../../../lib/activity/event_list.ts";
import { Origin } from "../../../lib/ui/account/Origin.tsx";
import { eventDeclaration } from "../../../lib/activity/kinds.ts";
import { Row } from "../../../lib/ui/list/Row.tsx";
import { eventText } from "../../../lib/texts/event_text.ts";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";

interface EventRowProps {
  event: ListedEvent;
  /** Whether it happened in the session that looks at it. */
  isCurrent: boolean;
  /** Whether a heading above says which day it was. */
  isShort?: boolean;
  language: Language;
}

/** One event. Some have no client: uploads, background jobs, and actions of other people. */
export function EventRow({ event, isCurrent, isShort, language }: EventRowProps) {
  const { userAgent, clientAddress, createdAt, details } = event;
  const { activity: texts } = textsIn(language);
  const device = clientAddress === null ? undefined : deviceName(userAgent, language);
  return (
    <Row
      icon={eventDeclaration(event.kind).icon}
      title={<p class="event">{eventText(language, event)}</p>}
      tag={details.newDevice === true
        ? <span class="tag warn">{texts.newDevice}</span>
        : details.trustedDevice === true && <span class="tag">{texts.trustedDevice}</span>}
    >
      <Origin
        label={isCurrent && device !== undefined ? texts.here({ device }) : device}
        date={createdAt}
        isShort={isShort}
        address={clientAddress}
        locale={language.locale}
      />
    </Row>
  );
}
