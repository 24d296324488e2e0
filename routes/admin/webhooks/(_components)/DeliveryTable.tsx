import { type Language, textsIn } from "../../../../lib/texts/texts.ts";
import { CellTime } from "../../../../lib/ui/list/CellTime.tsx";
import { type Column, Table } from "../../../../lib/ui/list/Table.tsx";
import type { ListedDelivery } from "../../../../lib/webhooks/delivery_list.ts";

interface DeliveryTableProps {
  deliveries: ListedDelivery[];
  /** The form that sends one again. */
  form: string;
  language: Language;
}

const TAGS = { waiting: "tag", sent: "tag good", failed: "tag warn" };

/** The events that were sent to a webhook, or wait for it. */
export function DeliveryTable({ deliveries, form, language }: DeliveryTableProps) {
  const { webhooks: texts } = textsIn(language);
  const { heads } = texts;
  const columns: Column<ListedDelivery>[] = [
    {
      head: heads.event,
      is: "title",
      cell: ({ kind, eventId }) => (
        <>
          <code>{kind}</code>
          <p class="meta">
            <code>{eventId}</code>
          </p>
        </>
      ),
    },
    { head: heads.attempts, cell: (delivery) => <Attempts delivery={delivery} language={language} /> },
    {
      head: heads.status,
      is: "end",
      cell: ({ status }) => <span class={TAGS[status]}>{texts.status[status]}</span>,
    },
    { head: heads.time, cell: ({ happenedAt }) => <CellTime date={happenedAt} locale={language.locale} /> },
    {
      head: "",
      cell: ({ id, kind, isEmptied }) =>
        !isEmptied && (
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
        ),
    },
  ];
  return <Table label={texts.deliveries} columns={columns} entries={deliveries} />;
}

function Attempts({ delivery, language }: { delivery: ListedDelivery; language: Language }) {
  const { attempts, failure, responseStatus } = delivery;
  const { webhooks: texts } = textsIn(language);
  return (
    <>
      {texts.attempts({ attempts })}
      {failure !== null && (
        <p class="meta">
          {responseStatus === null ? texts.failures[failure] : texts.responseStatus({ status: String(responseStatus) })}
        </p>
      )}
    </>
  );
}
