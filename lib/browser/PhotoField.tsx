import { IMAGE_CONTENT_TYPES, IMAGE_MAX_BYTES } from "../schemas/image_rules.ts";
import { Avatar } from "../ui/Avatar.tsx";
import { Progress } from "../ui/Progress.tsx";
import { sizeText } from "../texts/size_text.ts";
import type { Texts } from "../texts/texts.ts";
import { DropZone } from "./DropZone.tsx";
import { useIsHydrated } from "./hydration.ts";
import type { ImageUpload } from "./image_upload.ts";

interface PhotoFieldProps {
  /** The id of the form that sends the photo. */
  form: string;
  name: string;
  image: ImageUpload;
  texts: Texts["photo"];
}

/** Shows the user's photo, uploads a new one and removes it. Without scripts, its buttons submit the whole form. */
export function PhotoField({ form, name, image, texts }: PhotoFieldProps) {
  const { avatar, choice, progress } = image;
  const isUploading = progress.value !== null;
  const hint = useIsHydrated().value ? texts.hintWithScripts : texts.hint;
  return (
    <DropZone
      form={form}
      input={choice.input}
      label={texts.choose}
      hint={hint({ limit: sizeText(IMAGE_MAX_BYTES) })}
      accept={IMAGE_CONTENT_TYPES.join()}
      problem={image.problem.value}
      preview={<Avatar name={name} src={choice.preview.value ?? avatar.value} size={96} />}
      onFiles={choice.choose}
    >
      {isUploading && <Progress label={texts.uploading} share={progress.value!} />}
      <div class="actions">
        <button form={form} class="secondary" type="submit" aria-disabled={isUploading} onClick={image.upload}>
          {texts.upload}
        </button>
        {isUploading && (
          <button ref={image.cancelButton} class="secondary" type="button" onClick={image.cancel}>
            {texts.cancel}
          </button>
        )}
        {avatar.value && (
          <button form={form} class="secondary" type="submit" name="avatar" value="" onClick={image.remove}>
            {texts.remove}
          </button>
        )}
        <p class="status" role="status">
          {image.status.value || (choice.file.value && !isUploading && texts.notSaved)}
        </p>
      </div>
    </DropZone>
  );
}
