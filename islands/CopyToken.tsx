import { useCopy } from "../lib/browser/copy_text.ts";
import { useIsHydrated } from "../lib/browser/hydration.ts";
import { copyTokenTextsIn } from "../lib/texts/islands/tokens.ts";
import type { Language } from "../lib/texts/texts.ts";

interface CopyTokenProps {
  language: Language;
  token: string;
}

/** A new API token, with a button that copies it. Browsers offer the clipboard only to scripts of secure origins. */
export default function CopyToken({ language, token }: CopyTokenProps) {
  const texts = copyTokenTextsIn(language);
  const { element, status, copy } = useCopy(texts);
  const isHydrated = useIsHydrated();
  return (
    <div ref={element}>
      <p>
        <code class="secret">{token}</code>
      </p>
      {isHydrated.value && "clipboard" in navigator && (
        <div class="actions">
          <button class="secondary small" type="button" onClick={() => void copy()}>{texts.copy}</button>
          <p class="status" role="status">{status.value}</p>
        </div>
      )}
    </div>
  );
}
