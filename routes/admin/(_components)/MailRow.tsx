import type { ComponentChildren } from "preact";
import type { ListedEmail } from "../../../lib/admin/emails.ts";
import { mailName } from "../../../lib/texts/mail_name.ts";
import { type Language, type Texts, textsIn } from "../../../lib/texts/texts.ts";
import { DOT, Moment } from "../../../lib/ui/account/Origin.tsx";
import { Row } from "../../../lib/ui/list/Row.tsx";

interface MailRowProps {
  mail: ListedEmail;
  /** Whether the page is about its recipient. */
  isRecipientKnown?: boolean;
  action?: ComponentChildren;
  language: Language;
}

const TAGS = { waiting: "tag", sent: "tag good", failed: "tag warn" };

/** An email: which one, to whom, and what became of it. */
export function MailRow({ mail, isRecipientKnown, action, language }: MailRowProps) {
  const { mails: texts } = textsIn(language).admin;
  const { status, kind, createdAt, attempts, nextAttemptAt, answer } = mail;
  return (
    <Row
      icon="mail"
      title={<p class="event">{mailName(language, kind)}</p>}
      tag={<span class={TAGS[status]}>{texts.statuses[status]}</span>}
      action={action}
    >
      {!isRecipientKnown && <Recipient user={mail.user} texts={texts} />}
      <p class="meta">
        {texts.created} <Moment date={createdAt} locale={language.locale} />
        {(status === "waiting" || attempts > 1) && DOT + texts.attempts({ attempts })}
      </p>
      {nextAttemptAt !== null && (
        <p class="meta">
          {texts.next} <Moment date={nextAttemptAt} locale={language.locale} />
        </p>
      )}
      {answer !== null && status !== "sent" && <p class="meta">{texts.answer({ answer })}</p>}
    </Row>
  );
}

function Recipient({ user, texts }: { user: ListedEmail["user"]; texts: Texts["admin"]["mails"] }) {
  return (
    <p class="meta">
      {user === null ? texts.deleted : <a href={`/admin/users/${user.id}`}>{texts.to({ email: user.email })}</a>}
    </p>
  );
}
