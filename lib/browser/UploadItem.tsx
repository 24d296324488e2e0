import { FileLink } from "../ui/FileLink.tsx";
import { Progress } from "../ui/Progress.tsx";
import type { Texts } from "../texts/texts.ts";
import { useCopy } from "./copy_text.ts";
import type { Upload } from "./upload_queue.ts";

interface UploadItemProps {
  upload: Upload;
  texts: Texts["uploads"];
  onCancel(upload: Upload): void;
  onRetry(upload: Upload): void;
}

/** One file of the queue, with its progress or its link, and what can be done with it. */
export function UploadItem({ upload, texts, onCancel, onRetry }: UploadItemProps) {
  const { name, state, visibility, progress, url, uploadId, problem } = upload;
  const { element, status, copy } = useCopy(texts);
  const cancel = { label: texts.cancel, name: texts.cancelFile({ file: name }), run: () => onCancel(upload) };
  const share = {
    label: texts.share,
    name: texts.shareFile({ file: name }),
    run: () => location.assign(`/uploads/${uploadId}`),
  };
  // Browsers offer the clipboard only to secure origins.
  const copyLink = "clipboard" in navigator &&
    { label: texts.copy, name: texts.copyFile({ file: name }), run: copy };
  const actions = {
    waiting: cancel,
    sending: cancel,
    failed: { label: texts.retry, name: texts.retryFile({ file: name }), run: () => onRetry(upload) },
    done: visibility === "private" ? share : copyLink,
    refused: false as const,
  };
  const action = actions[state];
  return (
    <div ref={element} class="file">
      <div>
        <FileLink name={name} url={url} />
        {state === "done" && <p class="meta">{texts.visibility[visibility]}</p>}
        {state === "waiting" && <p class="meta">{texts.waiting}</p>}
        {state === "sending" && <Progress label={texts.uploading({ file: name })} share={progress} />}
        {(state === "failed" || state === "refused") && <p class="field-error">{problem}</p>}
        <p class="status" role="status">{status.value}</p>
      </div>
      <div class="actions">
        {action && (
          <button
            class="quiet"
            type="button"
            aria-label={action.name}
            // One button for all actions keeps the focus. A double click on "Cancel" must not run "Retry" too.
            onClick={({ detail }) => detail < 2 && void action.run()}
          >
            {action.label}
          </button>
        )}
      </div>
    </div>
  );
}
