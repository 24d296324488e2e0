import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ConnectionNotice } from "../lib/browser/ConnectionNotice.tsx";
import { useLeaveGuard } from "../lib/browser/leaving.ts";
import { send } from "../lib/browser/send.ts";
import { FileLink } from "../lib/ui/FileLink.tsx";
import { FormId } from "../lib/ui/FormId.tsx";
import { Progress } from "../lib/ui/Progress.tsx";

interface DirectUploadsProps {
  maxBytes: number;
  /** Of this form, where scripts do not run. */
  formId: string;
  problem?: string;
}

interface Upload {
  id: number;
  file: File;
  state: "waiting" | "sending" | "done" | "failed";
  share: number;
  /** Where the file is, once it is there. */
  url?: string;
  problem?: string;
  stop?: AbortController;
}

const AT_ONCE = 3;
const MEBIBYTE = 1024 * 1024;

/** Sends files straight to the store, several at once; each can be stopped and tried again. */
export default function DirectUploads({ maxBytes, formId, problem }: DirectUploadsProps) {
  const input = useRef<HTMLInputElement>(null);
  const isAwake = useSignal(false);
  const uploads = useSignal<Upload[]>([]);
  useEffect(() => {
    isAwake.value = true;
  }, []);
  useLeaveGuard(() => uploads.peek().some(({ state }) => state === "waiting" || state === "sending"));

  const change = (id: number, changes: Partial<Upload>) => {
    uploads.value = uploads.value.map((upload) => upload.id === id ? { ...upload, ...changes } : upload);
  };
  const add = (files: FileList | null = null) => {
    const first = uploads.value.length;
    const added = [...files ?? []].map((file, index): Upload => ({
      id: first + index,
      file,
      state: "waiting",
      share: 0,
    }));
    uploads.value = [...uploads.value, ...added];
    input.current!.value = "";
    startNext();
  };
  const startNext = () => {
    const free = AT_ONCE - uploads.value.filter(({ state }) => state === "sending").length;
    for (const upload of uploads.value.filter(({ state }) => state === "waiting").slice(0, free)) void start(upload);
  };
  const start = async ({ id, file }: Upload) => {
    const stop = new AbortController();
    change(id, { state: "sending", share: 0, problem: undefined, stop });
    const onProgress = (share: number) => change(id, { share });
    const changes = await sendFile(file, { maxBytes, signal: stop.signal, onProgress });
    change(id, stop.signal.aborted ? { state: "failed", problem: "Stopped" } : changes);
    startNext();
  };
  const retry = (id: number) => {
    change(id, { state: "waiting" });
    startNext();
  };

  return (
    <>
      <form
        class="drop"
        method="post"
        action="/uploads"
        encType="multipart/form-data"
        onSubmit={(event) => {
          event.preventDefault();
          add(input.current!.files);
        }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          add(event.dataTransfer?.files);
        }}
      >
        <div class="field">
          <label for="file">Choose files</label>
          <p class="hint" id="file-hint">
            {`Up to ${Math.floor(maxBytes / MEBIBYTE)} MiB each.`}
            {isAwake.value && " You can also drop them here."}
          </p>
          <input
            ref={input}
            id="file"
            name="file"
            type="file"
            multiple={isAwake.value}
            required
            aria-invalid={problem === undefined ? undefined : "true"}
            aria-describedby={problem === undefined ? "file-hint" : "file-hint file-error"}
          />
          {problem !== undefined && <p class="field-error" id="file-error" role="alert">{problem}.</p>}
          <div class="actions">
            <FormId value={formId} />
            <button type="submit">Upload</button>
          </div>
        </div>
      </form>
      <ConnectionNotice kept="What you chose" />
      <ul class="uploads" aria-label="Your uploads" aria-live="polite">
        {uploads.value.map((upload) => (
          <li key={upload.id} class="card">
            <UploadItem upload={upload} onRetry={() => retry(upload.id)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function UploadItem({ upload, onRetry }: { upload: Upload; onRetry(): void }) {
  const { file, state, share, url, problem, stop } = upload;
  if (url !== undefined) {
    return (
      <FileLink
        name={file.name}
        url={url}
        onCopy={() => navigator.clipboard.writeText(url)}
      />
    );
  }
  return (
    <>
      <p class="file-name">{file.name}</p>
      {state === "waiting" && <p class="meta">Waiting for its turn …</p>}
      {state === "sending" && <Progress label={`Sending ${file.name}`} share={share} />}
      {state === "failed" && <p class="field-error">{problem}.</p>}
      {state === "sending" && (
        <button
          class="secondary small"
          type="button"
          aria-label={`Cancel ${file.name}`}
          onClick={() => stop?.abort()}
        >
          Cancel
        </button>
      )}
      {state === "failed" && (
        <button class="secondary small" type="button" aria-label={`Try ${file.name} again`} onClick={onRetry}>
          Try again
        </button>
      )}
    </>
  );
}

async function sendFile(
  file: File,
  options: { maxBytes: number; signal: AbortSignal; onProgress(share: number): void },
): Promise<Partial<Upload>> {
  const { maxBytes, ...sending } = options;
  if (file.size === 0) return { state: "failed", problem: "The file is empty" };
  if (file.size > maxBytes) return { state: "failed", problem: `The file is larger than ${maxBytes} bytes` };
  const contentType = file.type || "application/octet-stream";
  const json = { filename: file.name, contentType, size: file.size };
  const permit = await send("POST", "/api/upload/presign", { json, signal: options.signal });
  const answer = permit.isOk
    ? await send("PUT", String(permit.body.presignedUrl), { content: file, contentType, ...sending })
    : permit;
  return answer.isOk
    ? { state: "done", url: String(permit.body.publicUrl) }
    : { state: "failed", problem: answer.message };
}
