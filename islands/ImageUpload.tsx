import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLeaveGuard } from "../lib/browser/leaving.ts";
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

/** Choose, drop or paste a picture, see it, send it. */
export default function ImageUpload({ name, avatar, formId, ...refused }: ImageUploadProps) {
  const input = useRef<HTMLInputElement>(null);
  const file = useSignal<File | null>(null);
  const preview = useSignal<string | null>(null);
  const problem = useSignal(refused.problem);
  const status = useSignal("");
  const progress = useSignal<number | null>(null);
  const sending = useRef<AbortController>();
  useLeaveGuard(() => progress.peek() !== null);

  const choose = (files: FileList | undefined) => {
    const chosen = files?.[0];
    if (!chosen || progress.peek() !== null) return;
    problem.value = imageProblem(chosen) ?? undefined;
    status.value = "";
    file.value = problem.value === undefined ? chosen : null;
    preview.value = null;
    if (file.value === null) return;
    const reader = new FileReader();
    reader.onload = () => preview.value = String(reader.result);
    reader.readAsDataURL(chosen);
  };
  useEffect(() => {
    choose(input.current!.files ?? undefined);
    const paste = ({ clipboardData }: ClipboardEvent) => choose(clipboardData?.files);
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, []);

  const upload = async (event: Event) => {
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
    progress.value = null;
    if (answer.isOk) {
      avatar.value = String(image.body.url);
      status.value = "Your new picture is in place.";
      input.current!.value = "";
      file.value = preview.value = null;
    } else if (signal.aborted) status.value = "Stopped. The picture has not been sent.";
    else problem.value = answer.message;
  };

  return (
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
        choose(event.dataTransfer?.files);
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
          // A picture that was dropped or pasted is not in the field.
          required={file.value === null}
          aria-invalid={problem.value === undefined ? undefined : "true"}
          aria-describedby={problem.value === undefined ? "file-hint" : "file-hint file-error"}
          onChange={(event) => choose(event.currentTarget.files ?? undefined)}
        />
        {problem.value !== undefined && <p class="field-error" id="file-error" role="alert">{problem.value}.</p>}
        {progress.value !== null && <Progress label="Sending the picture" share={progress.value} />}
        <div class="actions">
          <FormId value={formId} />
          <button type="submit" aria-disabled={progress.value !== null}>Save picture</button>
          {progress.value !== null && (
            <button class="secondary" type="button" onClick={() => sending.current?.abort()}>Cancel</button>
          )}
          <p class="status" role="status">{status.value}</p>
        </div>
      </div>
    </form>
  );
}
