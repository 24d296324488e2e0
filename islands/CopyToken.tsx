import { useCopy } from "../lib/browser/copy_text.ts";
import { useIsHydrated } from "../lib/browser/hydration.ts";
import type { Texts } from "../lib/texts/texts.ts";

interface CopyTokenProps {
  texts: Texts["copyToken"];
  token: string;
}

/**
 * A new API token, link or key, with a button that copies it. Browsers offer the clipboard only to scripts of secure
 * origins.
 */
export default function CopyToken({ texts, token }: CopyTokenProps) {
  const { element, status, copy } = useCopy(texts);
  const isHydrated = useIsHydrated().value;
  return (
    <div ref={element}>
      <p>
        <code class="secret" dir="ltr">{token}</code>
      </p>
      {(!isHydrated || "clipboard" in navigator) && (
        <div class="actions">
          <button
            class={isHydrated ? "secondary small" : "secondary small waits"}
            type="button"
            onClick={() => void copy()}
          >
            {texts.copy}
          </button>
          <p class="status" role="status">{status.value}</p>
        </div>
      )}
    </div>
  );
}
