import { useRef } from "preact/hooks";
import { ConnectionNotice } from "../lib/browser/ConnectionNotice.tsx";
import { DropZone } from "../lib/browser/DropZone.tsx";
import { useIsHydrated } from "../lib/browser/hydration.ts";
import { useUploadQueue } from "../lib/browser/upload_queue.ts";
import { UploadItem } from "../lib/browser/UploadItem.tsx";
import { FormIdField } from "../lib/ui/form/FormIdField.tsx";
import { sizeText } from "../lib/texts/size_text.ts";
import { type IslandTexts, useTexts } from "../lib/texts/island_texts.ts";

interface DirectUploadsProps {
  /** The id of the form. The choice of who can open the files is outside it. */
  form: string;
  texts: IslandTexts<"network" | "sizes" | "uploads">;
  maxBytes: number;
  /** The limits without JavaScript, when the files are sent through the service instead of to the store. */
  formHint: string;
  /** Identifies the submission when the form is sent without JavaScript. */
  formId: string;
  /** Why the server refused files. */
  problem?: string;
}

/** Uploads any number of files as soon as they are chosen or dropped, and lists their links. */
export default function DirectUploads(props: DirectUploadsProps) {
  const { form, texts: shown, maxBytes, formHint, formId, problem } = props;
  const texts = useTexts(shown);
  const { hintWithDrop, choose, submit, list, total } = texts.uploads;
  const input = useRef<HTMLInputElement>(null);
  const isHydrated = useIsHydrated().value;
  const { uploads, add, cancel, retry } = useUploadQueue({ input, maxBytes, texts });
  const done = uploads.value.filter(({ state }) => state === "done").length;
  return (
    <>
      <form id={form} method="post" action="/uploads" enctype="multipart/form-data">
        <DropZone
          input={input}
          label={choose}
          hint={formHint}
          hintWithScripts={hintWithDrop({ limit: sizeText(maxBytes, texts.sizes) })}
          multiple
          required
          problem={problem}
          onFiles={add}
        >
          <FormIdField value={formId} />
          <div class="actions">
            <button type="submit" hidden={isHydrated}>{submit}</button>
            <p class="status" role="status">
              {uploads.value.length > 0 && total({ done, all: uploads.value.length })}
            </p>
          </div>
        </DropZone>
      </form>
      <ConnectionNotice offlineText={texts.network.offlineKeepsFiles} />
      <ul class="rows" aria-label={list} aria-live="polite">
        {uploads.value.map((upload) => (
          <li key={upload.id}>
            <UploadItem upload={upload} texts={texts.uploads} onCancel={cancel} onRetry={retry} />
          </li>
        ))}
      </ul>
    </>
  );
}
