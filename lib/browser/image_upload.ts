import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { checkImage } from "../schemas/image_rules.ts";
import { photoErrorTexts } from "../words/file_texts.ts";
import type { Words } from "../words/words.ts";
import { failureText } from "./failure_text.tsx";
import { useLeaveGuard } from "./leave_guard.ts";
import { usePhotoChoice } from "./photo_choice.ts";
import { type Reply, send, type SendOptions } from "./send.ts";

interface ImageUploadOptions {
  /** The URL of the user's photo. */
  avatar: Signal<string | null>;
  words: Pick<Words, "network" | "photo">;
  /** Why the server refused the previous photo. */
  problem?: string;
}

/** Uploads the chosen photo and makes it the user's avatar. The upload can be cancelled. */
export function useImageUpload({ avatar, words, ...initial }: ImageUploadOptions) {
  const problem = useSignal<ComponentChildren>(initial.problem);
  const status = useSignal("");
  /** The share that has been sent, from 0 to 1; null unless an upload is running. */
  const progress = useSignal<number | null>(null);
  const abort = useRef<AbortController>();
  const cancelButton = useRef<HTMLButtonElement>(null);
  const isUploading = () => progress.peek() !== null;
  useLeaveGuard(isUploading);

  const choice = usePhotoChoice({
    isLocked: isUploading,
    accepts(file) {
      const code = file && checkImage(file);
      problem.value = code ? photoErrorTexts(words, file.type)[code] : undefined;
      status.value = "";
      return code === null;
    },
  });

  const upload = async ({ submitter }: SubmitEvent) => {
    const file = choice.file.value;
    if (isUploading() || file === null) return;
    problem.value = undefined;
    progress.value = 0;
    abort.current = new AbortController();
    const { signal } = abort.current;
    const onProgress = (share: number) => progress.value = share;
    const { reply, url } = await uploadAvatar(file, { signal, onProgress });
    // The cancel button is about to disappear. Without this, the focus would be lost.
    if (document.activeElement === cancelButton.current) submitter?.focus();
    progress.value = null;
    if (reply.isOk) {
      avatar.value = url;
      status.value = words.photo.updated;
      choice.clear();
    } else if (signal.aborted) status.value = words.photo.cancelled;
    else problem.value = failureText(words, reply, photoErrorTexts(words, file.type));
  };
  return { choice, problem, status, progress, upload, cancelButton, cancel: () => abort.current?.abort() };
}

async function uploadAvatar(
  file: File,
  options: Pick<SendOptions, "signal" | "onProgress">,
): Promise<{ reply: Reply; url: string }> {
  const content = new FormData();
  content.set("type", "avatar");
  content.set("file", file);
  const image = await send("POST", "/api/upload/image", { content, ...options });
  const url = String(image.body.url);
  const { signal } = options;
  return { url, reply: image.isOk ? await send("PUT", "/api/profile", { json: { avatar: url }, signal }) : image };
}
