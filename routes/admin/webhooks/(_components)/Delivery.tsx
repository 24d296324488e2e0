import { type Language, textsIn } from "../../../../lib/texts/texts.ts";
import { DOT, Moment } from "../../../../lib/ui/account/Origin.tsx";
import { Row } from "../../../../lib/ui/list/Row.tsx";
import type { ListedDelivery } from "../../../../lib/webhooks/delivery_list.ts";

interface DeliveryProps {
  delivery: ListedDelivery;
  /** The form that sends it again. */
  form: string;
  language: Language;
}

const TAGS = { waiting: "tag", sent: "tag good", failed: "tag warn" };

/** An event that was sent to a webhook, or waits for it. */
export function Delivery({ delivery, form, language }: DeliveryProps) {
  const { id, eventId, kind, status, attempts, happenedAt, failure, responseStatus } = delivery;
  const { webhooks: texts } = textsIn(language);
  return (
    <Row
      icon="link"
      title={
        <p>
          <code>{kind}</code>
        </p>
      }
      tag={<span class={TAGS[status]}>{texts.status[status]}</span>}
      action={
        <button
          class="secondary small"
          type="submit"
          form={form}
          name="replay"
          value={id}
          aria-label={texts.againNamed({ kind })}
        >
          {texts.again}
        </button>
      }
    >
      <p class="meta">
        <Moment date={happenedAt} locale={language.locale} />
        {DOT + texts.attempts({ attempts })}
        {failure !== null &&
          DOT + (responseStatus === null
              ? texts.failures[failure]
              : texts.responseStatus({ status: String(responseStatus) }))}
      </p>
      <p class="meta">
        <code>{eventId}</code>
      </p>
    </Row>
  );
}
