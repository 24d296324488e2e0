import type { Signal } from "@preact/signals";
import { DropZone } from "../lib/browser/DropZone.tsx";
import { useImageUpload } from "../lib/browser/image_upload.ts";
import { IMAGE_CONTENT_TYPES, IMAGE_MAX_BYTES } from "../lib/schemas/image_rules.ts";
import { Avatar } from "../lib/ui/Avatar.tsx";
import { Progress } from "../lib/ui/Progress.tsx";
import { sizeLimitText } from "../lib/words/file_texts.ts";
import { photoWordsIn } from "../lib/words/islands/photo.ts";
import type { Language } from "../lib/words/words.ts";

interface ImageUploadProps {
  language: Language;
  name: string;
  /** The URL of the user's photo. */
  avatar: Signal<string | null>;
  /** Identifies the submission when the form is sent without JavaScript. */
  formId: string;
  /** Why the server refused the photo. */
  problem?: string;
}

/** Shows the user's photo, uploads a new one and removes it. */
export default function ImageUpload({ language, name, avatar, formId, problem }: ImageUploadProps) {
  const words = photoWordsIn(language);
  const { choose, hint, upload: submit, uploading, cancel, remove } = words.photo;
  const image = useImageUpload({ avatar, words, problem });
  const { choice, progress } = image;
  const isUploading = progress.value !== null;
  return (
    <>
      <DropZone
        id="photo-file"
        action="/profile"
        formId={formId}
        input={choice.input}
        label={choose}
        hint={hint(sizeLimitText(IMAGE_MAX_BYTES))}
        accept={IMAGE_CONTENT_TYPES.join()}
        problem={image.problem.value}
        submitLabel={submit}
        isBusy={isUploading}
        preview={<Avatar name={name} src={choice.preview.value ?? avatar.value} size={96} />}
        progress={isUploading && <Progress label={uploading} share={progress.value!} />}
        onChooseFiles={choice.choose}
        onDropFiles={choice.choose}
        onSubmit={image.upload}
      >
        {isUploading && (
          <button ref={image.cancelButton} class="secondary" type="button" onClick={image.cancel}>{cancel}</button>
        )}
        <p class="status" role="status">{image.status.value}</p>
      </DropZone>
      {avatar.value && (
        <form id="photo-removal" class="actions" method="post" action="/profile">
          <button class="secondary" type="submit" name="avatar" value="">{remove}</button>
        </form>
      )}
    </>
  );
}
