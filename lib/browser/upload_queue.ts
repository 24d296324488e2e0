import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { Visibility } from "../uploads/schema.ts";
import { fileErrorTexts } from "../texts/file_texts.ts";
import type { Texts } from "../texts/texts.ts";
import { failureText, type FailureTexts } from "./failure_text.tsx";
import { typeOfContent } from "./file_type.ts";
import { useLeaveGuard } from "./leave_guard.ts";
import { send } from "./send.ts";
import { showStoredFiles } from "./stored_files.ts";

/** One file in the queue. */
export interface Upload {
  id: number;
  name: string;
  file: File;
  visibility: Visibility;
  /** The id of the upload, once it is done. */
  uploadId?: string;
  /** A failed upload can be retried, a refused file cannot. */
  state: "waiting" | "sending" | "done" | "failed" | "refused";
  /** The share that has been sent, from 0 to 1. */
  progress: number;
  /** The address of the file, once the upload is done. */
  url?: string;
  problem?: ComponentChildren;
  abort?: AbortController;
}

interface UploadRules {
  maxBytes: number;
  texts: Pick<Texts, "network" | "sizes" | "uploads">;
}

export interface UploadQueueOptions extends UploadRules {
  input: RefObject<HTMLInputElement>;
}

const MAX_CONCURRENT_UPLOADS = 3;

/** Uploads files straight to the object store, several at once. Uploads can be canceled and retried. */
export function useUploadQueue({ input, ...rules }: UploadQueueOptions) {
  const { texts } = rules;
  const uploads = useSignal<Upload[]>([]);
  const isRunning = () => uploads.peek().some(({ state }) => state === "waiting" || state === "sending");
  useLeaveGuard(isRunning);
  const canceled = { state: "failed", problem: texts.uploads.canceled } as const;

  const change = (id: number, changes: Partial<Upload>) => {
    uploads.value = uploads.value.map((upload) => upload.id === id ? { ...upload, ...changes } : upload);
  };
  const startNext = () => {
    const free = MAX_CONCURRENT_UPLOADS - uploads.value.filter(({ state }) => state === "sending").length;
    for (const upload of uploads.value.filter(({ state }) => state === "waiting").slice(0, free)) void start(upload);
  };
  const start = async ({ id, file, visibility }: Upload) => {
    const abort = new AbortController();
    const { signal } = abort;
    change(id, { state: "sending", progress: 0, problem: undefined, abort });
    const onProgress = (progress: number) => change(id, { progress });
    const result = await uploadFile(file, { ...rules, visibility, signal, onProgress });
    change(id, signal.aborted ? canceled : result);
    startNext();
    if (!isRunning()) await showStoredFiles();
  };
  const append = (added: Omit<Upload, "id">[]) => {
    const firstId = uploads.value.length;
    uploads.value = [...uploads.value, ...added.map((upload, index) => ({ ...upload, id: firstId + index }))];
  };
  const add = (files: FileList) => {
    const visibility = chosenVisibility(input.current!.form!);
    append([...files].map((file) => ({ name: file.name, file, visibility, progress: 0, ...checkSize(file, rules) })));
    // The files are in the list now. The same file can be chosen again.
    input.current!.value = "";
    startNext();
  };

  useEffect(() => {
    // Someone may have chosen files before hydration.
    add(input.current!.files!);
  }, []);

  return {
    uploads,
    add,
    cancel({ id, state, abort }: Upload) {
      if (state === "waiting") change(id, canceled);
      else abort?.abort();
    },
    retry({ id }: Upload) {
      change(id, { state: "waiting" });
      startNext();
    },
  };
}

/** Returns what the page shows as chosen now. A later change does not affect files that wait or are retried. */
function chosenVisibility({ elements }: HTMLFormElement): Visibility {
  return (elements.namedItem("visibility") as RadioNodeList).value as Visibility;
}

function checkSize({ name, size }: File, { maxBytes, texts }: UploadRules): Pick<Upload, "state" | "problem"> {
  if (size === 0) return { state: "refused", problem: texts.uploads.empty };
  if (size <= maxBytes) return { state: "waiting" };
  return { state: "refused", problem: fileErrorTexts(texts, { name, maxBytes }).PAYLOAD_TOO_LARGE };
}

interface UploadFileOptions extends UploadRules {
  visibility: Visibility;
  signal: AbortSignal;
  onProgress(progress: number): void;
}

async function uploadFile(file: File, options: UploadFileOptions): Promise<Partial<Upload>> {
  const { maxBytes, texts, visibility, ...sending } = options;
  const { name: filename, size } = file;
  const contentType = await typeOfContent(file) || "application/octet-stream";
  const json = { filename, contentType, size, visibility };
  const presigned = await send("POST", "/api/upload/presign", { json, signal: sending.signal });
  const { id, presignedUrl, publicUrl } = presigned.body;
  const sent = presigned.isOk
    ? await send("PUT", String(presignedUrl), { content: file, contentType, ...sending })
    : presigned;
  const reply = sent.isOk ? await send("POST", `/api/uploads/${id}/confirm`, { signal: sending.signal }) : sent;
  if (reply.isOk) return { state: "done", url: String(publicUrl), uploadId: String(id) };
  const failureTexts: FailureTexts = {
    ...fileErrorTexts(texts, { name: filename, maxBytes }),
    FORBIDDEN: texts.uploads.refused,
    // The server refuses private files while their place in the store may be public.
    ...(reply === presigned && visibility === "private" && { UNAVAILABLE: texts.uploads.privateUnavailable }),
  };
  return reply.isRetryable
    ? { state: "failed", problem: failureText(texts, reply, failureTexts) ?? texts.network.failed }
    : { state: "refused", problem: failureTexts[reply.code!] ?? texts.uploads.unsuitable };
}
