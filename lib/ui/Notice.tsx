import type { NoticeCode } from "../words/en/notices.ts";
import type { Words } from "../words/words.ts";
import { OutboxLink } from "./OutboxLink.tsx";

const NOTICES_ABOUT_EMAIL: NoticeCode[] = ["registered", "verification_sent", "reset_sent", "emails_used_up"];

interface NoticeProps {
  code: NoticeCode;
  hasOutbox: boolean;
  words: Words;
}

/** The result of the previous form. It takes the focus so that screen readers announce it. */
export function Notice({ code, hasOutbox, words }: NoticeProps) {
  return (
    <div class="notice" role="status" tabIndex={-1} autofocus>
      <p>{words.notices[code]}</p>
      {hasOutbox && NOTICES_ABOUT_EMAIL.includes(code) && <OutboxLink words={words.frame} />}
    </div>
  );
}
