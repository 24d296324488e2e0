import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ConnectionNotice } from "../lib/browser/ConnectionNotice.tsx";
import { useLeaveGuard } from "../lib/browser/leaving.ts";
import { problemOf } from "../lib/browser/problem.tsx";
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
  /** What is refused can never be sent, what failed can be tried again. */
  state: "waiting" | "sending" | "done" | "failed" | "refused";
  share: number;
  /** Where the file is, once it is there. */
  url?: string;
  problem?: ComponentChildren;
  stop?: AbortController;
}

const AT_ONCE = 3;
const STOPPED = { state: "failed", problem: "Stopped" } as const;

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
      share: 0,
      ...judge(file, maxBytes),
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
    const changes = await sendFile(file, { signal: stop.signal, onProgress });
    change(id, stop.signal.aborted ? STOPPED : changes);
    startNext();
  };
  const cancel = ({ id, state, stop }: Upload) => state === "waiting" ? change(id, STOPPED) : stop?.abort();
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
            {`Up to ${mebibytes(maxBytes)} each.`}
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
            <UploadItem upload={upload} onCancel={() => cancel(upload)} onRetry={() => retry(upload.id)} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface UploadItemProps {
  upload: Upload;
  onCancel(): void;
  onRetry(): void;
}

function UploadItem({ upload, onCancel, onRetry }: UploadItemProps) {
  const { file, state, share, url, problem } = upload;
  const item = useRef<HTMLDivElement>(null);
  const copied = useSignal("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url!);
      copied.value = "Copied.";
    } catch {
      getSelection()!.selectAllChildren(item.current!.querySelector("a")!);
      copied.value = "This could not be copied. The link is selected: please copy it yourself.";
    }
  };
  const actions = {
    waiting: { label: "Cancel", name: `Cancel ${file.name}`, act: onCancel },
    sending: { label: "Cancel", name: `Cancel ${file.name}`, act: onCancel },
    failed: { label: "Try again", name: `Try ${file.name} again`, act: onRetry },
    // Only pages of a secure origin may use the clipboard.
    done: "clipboard" in navigator && { label: "Copy the link", name: `Copy the link to ${file.name}`, act: copy },
    refused: false as const,
  };
  const action = actions[state];
  return (
    <div ref={item}>
      {url === undefined ? <p class="file-name">{file.name}</p> : <FileLink name={file.name} url={url} />}
      {state === "waiting" && <p class="meta">Waiting for its turn …</p>}
      {state === "sending" && <Progress label={`Sending ${file.name}`} share={share} />}
      {(state === "failed" || state === "refused") && <p class="field-error">{problem}.</p>}
      <div class="actions">
        {action && (
          <button
            class="secondary small"
            type="button"
            aria-label={action.name}
            // One button whatever it does, so that the focus has a place to stay. The second click of a double click
            // is not meant for what it has become.
            onClick={({ detail }) => detail < 2 && void action.act()}
          >
            {action.label}
          </button>
        )}
        <p class="status" role="status">{copied.value}</p>
      </div>
    </div>
  );
}

/** What can be said of a file before it is sent. */
function judge({ size }: File, maxBytes: number): Pick<Upload, "state" | "problem"> {
  if (size === 0) return { state: "refused", problem: "The file is empty" };
  if (size > maxBytes) return { state: "refused", problem: `The file is larger than ${mebibytes(maxBytes)}` };
  return { state: "waiting" };
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MiB`;
}

async function sendFile(
  file: File,
  options: { signal: AbortSignal; onProgress(share: number): void },
): Promise<Partial<Upload>> {
  const contentType = file.type || "application/octet-stream";
  const json = { filename: file.name, contentType, size: file.size };
  const permit = await send("POST", "/api/upload/presign", { json, signal: options.signal });
  if (!permit.isOk) return { state: "failed", problem: problemOf(permit) };
  const answer = await send("PUT", String(permit.body.presignedUrl), { content: file, contentType, ...options });
  if (answer.isOk) return { state: "done", url: String(permit.body.publicUrl) };
  return { state: "failed", problem: answer.status === 403 ? "The upload was refused. Try again" : problemOf(answer) };
}
