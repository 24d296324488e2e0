import { useCopy } from "../lib/browser/copy_text.ts";
import { useIsHydrated } from "../lib/browser/hydration.ts";
import { uploadsWordsIn } from "../lib/words/islands/uploads.ts";
import type { Language } from "../lib/words/words.ts";

interface CopyLinkProps {
  language: Language;
  name: string;
  url: string;
}

/** A link to a file, with a button that copies it. Browsers offer the clipboard only to scripts of secure origins. */
export default function CopyLink({ language, name, url }: CopyLinkProps) {
  const words = uploadsWordsIn(language).uploads;
  const { element, status, copy } = useCopy(words);
  const isHydrated = useIsHydrated();
  return (
    <div ref={element}>
      <p class="file-name">
        <a href={url}>
          <bdi>{name}</bdi>
        </a>
      </p>
      {isHydrated.value && "clipboard" in navigator && (
        <div class="actions">
          <button class="secondary small" type="button" aria-label={words.copyFile(name)} onClick={() => void copy()}>
            {words.copy}
          </button>
          <p class="status" role="status">{status.value}</p>
        </div>
      )}
    </div>
  );
}
