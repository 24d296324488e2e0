import type { ComponentChildren } from "preact";
import { useCopy } from "../lib/browser/copy_text.ts";
import { useIsHydrated } from "../lib/browser/hydration.ts";
import { FileLink } from "../lib/ui/FileLink.tsx";
import { type IslandTexts, useTexts } from "../lib/texts/island_texts.ts";

interface CopyLinkProps {
  texts: IslandTexts<"uploads">;
  name: string;
  url: string;
  /** The facts of the file. */
  children?: ComponentChildren;
}

/** A file, with a button that copies its link. Browsers offer the clipboard only to scripts of secure origins. */
export default function CopyLink({ texts: shown, name, url, children }: CopyLinkProps) {
  const texts = useTexts(shown).uploads;
  const { element, status, copy } = useCopy(texts);
  const isHydrated = useIsHydrated().value;
  return (
    <div ref={element} class="file">
      <div>
        <FileLink name={name} url={url} />
        {children}
        <p class="status" role="status">{status.value}</p>
      </div>
      <div class="actions">
        <a class="button quiet" href={url} download={name} aria-label={texts.downloadFile({ file: name })}>
          {texts.download}
        </a>
        {(!isHydrated || "clipboard" in navigator) && (
          <button
            class={isHydrated ? "quiet" : "quiet waits"}
            type="button"
            aria-label={texts.copyFile({ file: name })}
            onClick={() => void copy()}
          >
            {texts.copy}
          </button>
        )}
      </div>
    </div>
  );
}
