import { MAIL_NOTICES, type NoticeCode, NOTICES } from "./notices.ts";
import { OutboxLink } from "./OutboxLink.tsx";

/** What has just been done; it has the focus, so that it is read out. */
export function Notice({ code, hasOutbox }: { code: NoticeCode; hasOutbox: boolean }) {
  return (
    <div class="notice" role="status" tabIndex={-1} autofocus>
      <p>{NOTICES[code]}</p>
      {hasOutbox && MAIL_NOTICES.includes(code) && <OutboxLink />}
    </div>
  );
}
