import type { ListedEmail } from "../../../lib/admin/emails.ts";
import { mailName } from "../../../lib/texts/mail_name.ts";
import { type Language, type Texts, textsIn } from "../../../lib/texts/texts.ts";
import { Moment } from "../../../lib/ui/account/Origin.tsx";
import { Isolated } from "../../../lib/ui/Isolated.tsx";
import { CellTime } from "../../../lib/ui/list/CellTime.tsx";
import { type Column, Table } from "../../../lib/ui/list/Table.tsx";

interface MailTableProps {
  /** What the emails have in common. */
  label: string;
  mails: ListedEmail[];
  /** Whether the page is about their recipient. */
  isRecipientKnown?: boolean;
  /** Whether the waiting ones lead to where they are sent now. */
  canRetry?: boolean;
  language: Language;
}

/** Emails: which ones, to whom, and what became of them. Each leads to its recipient. */
export function MailTable({ label, mails, isRecipientKnown, canRetry = false, language }: MailTableProps) {
  const { mails: texts } = textsIn(language).admin;
  const { heads } = texts;
  const columns: Column<ListedEmail>[] = [
    {
      head: heads.email,
      is: "title",
      cell: (mail) => <Email mail={mail} isRecipientKnown={isRecipientKnown} language={language} />,
    },
    { head: heads.delivery, cell: (mail) => <Delivery mail={mail} language={language} /> },
    { head: heads.status, is: "end", cell: ({ status }) => <Status status={status} texts={texts} /> },
    { head: heads.created, cell: ({ createdAt }) => <CellTime date={createdAt} locale={language.locale} /> },
    ...canRetry ? [{ head: "", cell: (mail: ListedEmail) => <Retry mail={mail} language={language} /> }] : [],
  ];
  return <Table label={label} columns={columns} entries={mails} />;
}

function Email({ mail: { kind, user }, isRecipientKnown, language }: {
  mail: ListedEmail;
  isRecipientKnown?: boolean;
  language: Language;
}) {
  const { deleted } = textsIn(language).admin.mails;
  const name = mailName(language, kind);
  if (isRecipientKnown) return <span class="event">{name}</span>;
  return (
    <>
      {user === null ? deleted : (
        <a class="event row-link" href={`/admin/users/${user.id}`}>
          <Isolated isLtr>{user.email}</Isolated>
        </a>
      )}
      <p class="meta">{name}</p>
    </>
  );
}

/** How many attempts there were, when the next one is, and the last answer, unless the first attempt succeeded. */
function Delivery({ mail, language }: { mail: ListedEmail; language: Language }) {
  const { mails: texts } = textsIn(language).admin;
  const { status, attempts, nextAttemptAt, answer } = mail;
  if (status === "sent" && attempts < 2) return null;
  return (
    <>
      {texts.attempts({ attempts })}
      {nextAttemptAt !== null && (
        <p class="meta">
          {texts.next} <Moment date={nextAttemptAt} locale={language.locale} />
        </p>
      )}
      {answer !== null && status !== "sent" && <p class="meta">{texts.answer({ answer })}</p>}
    </>
  );
}

function Status({ status, texts }: { status: ListedEmail["status"]; texts: Texts["admin"]["mails"] }) {
  if (status === "sent") return texts.statuses.sent;
  return <span class={status === "failed" ? "tag warn" : "tag"}>{texts.statuses[status]}</span>;
}

function Retry({ mail: { id, kind, status }, language }: { mail: ListedEmail; language: Language }) {
  const { mails: texts } = textsIn(language).admin;
  if (status !== "waiting") return null;
  return (
    <a
      class="button secondary small"
      href={`/admin/emails/${id}/retry`}
      aria-label={texts.retryNamed({ mail: mailName(language, kind) })}
    >
      {texts.retry}
    </a>
  );
}
