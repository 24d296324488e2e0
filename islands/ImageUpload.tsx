import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLeaveGuard } from "../lib/browser/leaving.ts";
import { problemOf } from "../lib/browser/problem.tsx";
import { send } from "../lib/browser/send.ts";
import { IMAGE_CONTENT_TYPES, imageProblem } from "../lib/schemas/image_rules.ts";
import { Avatar } from "../lib/ui/Avatar.tsx";
import { FormId } from "../lib/ui/FormId.tsx";
import { Progress } from "../lib/ui/Progress.tsx";

interface ImageUploadProps {
  name: string;
  avatar: Signal<string | null>;
  /** Of this form, where scripts do not run. */
  formId: string;
  /** Why the server refused a picture. */
  problem?: string;
}

/** Choose, drop or paste a picture, see it, send it; remove the one that is there. */
export default function ImageUpload({ name, avatar, formId, ...refused }: ImageUploadProps) {
  const input = useRef<HTMLInputElement>(null);
  const file = useSignal<File | null>(null);
  const preview = useSignal<string | null>(null);
  const problem = useSignal<ComponentChildren>(refused.problem);
  const status = useSignal("");
  const progress = useSignal<number | null>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const sending = useRef<AbortController>();
  useLeaveGuard(() => progress.peek() !== null);

  const choose = (chosen: File | null) => {
    if (progress.peek() === null) {
      problem.value = (chosen && imageProblem(chosen)) ?? undefined;
      status.value = "";
      file.value = problem.value === undefined ? chosen : null;
      preview.value = null;
      const reader = new FileReader();
      reader.onload = () => {
        if (file.peek() === chosen) preview.value = String(reader.result);
      };
      if (file.value !== null) reader.readAsDataURL(file.value);
    }
    // The field shows what will be sent, wherever that came from.
    const held = new DataTransfer();
    if (file.value !== null) held.items.add(file.value);
    input.current!.files = held.files;
  };
  useEffect(() => {
    const [early] = input.current!.files!;
    if (early) choose(early);
    const paste = ({ clipboardData, target }: ClipboardEvent) => {
      // Text processors and spreadsheets put a picture of the text beside it.
      const isText = clipboardData?.types.includes("text/plain") && target instanceof Element &&
        target.matches("input:not([type=file]), textarea");
      if (clipboardData?.files[0] && !isText) choose(clipboardData.files[0]);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, []);

  const upload = async (event: SubmitEvent) => {
    event.preventDefault();
    if (progress.value !== null || file.value === null) return;
    problem.value = undefined;
    progress.value = 0;
    sending.current = new AbortController();
    const { signal } = sending.current;
    const content = new FormData();
    content.set("type", "avatar");
    content.set("file", file.value);
    const onProgress = (share: number) => progress.value = share;
    const image = await send("POST", "/api/upload/image", { content, onProgress, signal });
    const answer = image.isOk ? await send("PUT", "/api/profile", { json: { avatar: image.body.url }, signal }) : image;
    // The button goes away, but not the focus.
    if (document.activeElement === cancel.current) event.submitter?.focus();
    progress.value = null;
    if (answer.isOk) {
      avatar.value = String(image.body.url);
      status.value = "Your new picture is in place.";
      input.current!.value = "";
      file.value = preview.value = null;
    } else if (signal.aborted) status.value = "Stopped. The picture has not been sent.";
    else problem.value = problemOf(answer);
  };

  return (
    <>
      <form
        id="picture-file"
        class="drop"
        method="post"
        action="/profile"
        encType="multipart/form-data"
        onSubmit={upload}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          if (event.dataTransfer?.files[0]) choose(event.dataTransfer.files[0]);
        }}
      >
        <Avatar name={name} src={preview.value ?? avatar.value} size={96} />
        <div class="field">
          <label for="file">Choose a picture</label>
          <p class="hint" id="file-hint">JPEG, PNG, WebP or GIF, up to 5 MiB. You can also drop or paste it here.</p>
          <input
            ref={input}
            id="file"
            name="file"
            type="file"
            accept={IMAGE_CONTENT_TYPES.join()}
            required
            aria-invalid={problem.value === undefined ? undefined : "true"}
            aria-describedby={problem.value === undefined ? "file-hint" : "file-hint file-error"}
            onChange={(event) => choose(event.currentTarget.files![0] ?? null)}
          />
          {problem.value !== undefined && <p class="field-error" id="file-error" role="alert">{problem.value}.</p>}
          {progress.value !== null && <Progress label="Sending the picture" share={progress.value} />}
          <div class="actions">
            <FormId value={formId} />
            <button type="submit" aria-disabled={progress.value !== null}>Save picture</button>
            {progress.value !== null && (
              <button
                ref={cancel}
                class="secondary"
                type="button"
                onClick={() => sending.current?.abort()}
              >
                Cancel
              </button>
            )}
            <p class="status" role="status">{status.value}</p>
          </div>
        </div>
      </form>
      {avatar.value && (
        <form id="picture-removal" class="actions" method="post" action="/profile">
          <button class="secondary" type="submit" name="avatar" value="">Remove the picture</button>
        </form>
      )}
    </>
  );
}
