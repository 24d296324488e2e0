import { useCopy } from "../lib/browser/copy_text.ts";
import { useIsHydrated } from "../lib/browser/hydration.ts";
import type { Texts } from "../lib/texts/texts.ts";

interface RecoveryCodesProps {
  texts: Pick<Texts["recoveryCodes"], "list" | "copy" | "copied" | "copyFailed" | "print" | "download">;
  codes: string[];
  /** The text of the file to download. */
  file: string;
}

/** New recovery codes, to copy, print and download. The download works without scripts. */
export default function RecoveryCodes({ texts, codes, file }: RecoveryCodesProps) {
  const { element, status, copy } = useCopy(texts);
  const isHydrated = useIsHydrated().value;
  const look = isHydrated ? "secondary" : "secondary waits";
  return (
    <>
      <div ref={element}>
        <ol class="recovery-codes" aria-label={texts.list} dir="ltr">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
      </div>
      <div class="actions no-print">
        {(!isHydrated || "clipboard" in navigator) && (
          <button class={look} type="button" onClick={() => void copy()}>{texts.copy}</button>
        )}
        <button class={look} type="button" onClick={() => print()}>{texts.print}</button>
        <a
          class="button secondary"
          download="recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
        >
          {texts.download}
        </a>
        <p class="status" role="status">{status.value}</p>
      </div>
    </>
  );
}
