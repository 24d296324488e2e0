import { useCopy } from "../lib/browser/copy_text.ts";
import { useIsHydrated } from "../lib/browser/hydration.ts";
import { uploadsTextsIn } from "../lib/texts/islands/uploads.ts";
import type { Language } from "../lib/texts/texts.ts";

interface CopyLinkProps {
  language: Language;
  name: string;
  url: string;
}

/** A link to a file, with a button that copies it. Browsers offer the clipboard only to scripts of secure origins. */
export default function CopyLink({ language, name, url }: CopyLinkProps) {
  const texts = uploadsTextsIn(language).uploads;
  const { element, status, copy } = useCopy(texts);
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
          <button class="secondary small" type="button" aria-label={texts.copyFile(name)} onClick={() => void copy()}>
            {texts.copy}
          </button>
          <p class="status" role="status">{status.value}</p>
        </div>
      )}
    </div>
  );
}
