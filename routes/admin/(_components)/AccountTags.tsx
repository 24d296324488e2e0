import type { Texts } from "../../../lib/texts/texts.ts";

interface AccountTagsProps {
  account: { role: string; status: keyof Texts["admin"]["list"]["statuses"] };
  texts: Texts["admin"]["list"];
}

/** The state of an account, and whether it is that of an admin. */
export function AccountTags({ account: { role, status }, texts }: AccountTagsProps) {
  return (
    <>
      {status !== "active" && <span class={status === "unverified" ? "tag" : "tag warn"}>{texts.statuses[status]}
      </span>}
      {role === "admin" && <span class="tag good">{texts.admin}</span>}
    </>
  );
}
