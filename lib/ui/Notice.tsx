import type { NoticeCode } from "../texts/en/notices.ts";
import type { Texts } from "../texts/texts.ts";
import { OutboxLink } from "./OutboxLink.tsx";

const NOTICES_ABOUT_EMAIL: NoticeCode[] = ["registered", "verification_sent", "reset_sent", "emails_used_up"];

interface NoticeProps {
  code: NoticeCode;
  hasOutbox: boolean;
  texts: Texts;
}

/** The result of the previous form. It takes the focus so that screen readers announce it. */
export function Notice({ code, hasOutbox, texts }: NoticeProps) {
  return (
    <div class="notice" role="status" tabindex={-1} autofocus>
      <p>{texts.notices[code]}</p>
      {hasOutbox && NOTICES_ABOUT_EMAIL.includes(code) && <OutboxLink texts={texts.frame} />}
    </div>
  );
}
