import type { NoticeCode, Texts } from "../texts/texts.ts";
import { OutboxLink } from "./OutboxLink.tsx";

/** The notices that ask for something. All others report a success. */
const WARNINGS: NoticeCode[] = [
  "verify_first",
  "emails_used_up",
  "codes_used_up",
  "second_step_expired",
  "account_closing",
  "files_not_chosen",
];
const NOTICES_ABOUT_EMAIL: NoticeCode[] = [
  "registered",
  "verification_sent",
  "reset_sent",
  "emails_used_up",
  "invitation_sent",
];

interface NoticeProps {
  code: NoticeCode;
  hasOutbox: boolean;
  texts: Texts;
}

/** The result of the previous form. It takes the focus so that screen readers announce it. */
export function Notice({ code, hasOutbox, texts }: NoticeProps) {
  return (
    <div class={WARNINGS.includes(code) ? "notice warn" : "notice good"} role="status" tabindex={-1} autofocus>
      <p>{texts.notices[code]}</p>
      {hasOutbox && NOTICES_ABOUT_EMAIL.includes(code) && <OutboxLink texts={texts.frame} />}
    </div>
  );
}
