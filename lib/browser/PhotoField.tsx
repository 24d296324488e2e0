import { IMAGE_CONTENT_TYPES, IMAGE_CROPS } from "../uploads/rules.ts";
import { Avatar } from "../ui/Avatar.tsx";
import { Progress } from "../ui/Progress.tsx";
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
  /** How large a photo may be. */
  limit: string;
}

/** Shows the user's photo, uploads a new one and removes it. Without scripts, its buttons submit the whole form. */
export function PhotoField({ form, name, image, texts, limit }: PhotoFieldProps) {
  const { avatar, choice, progress } = image;
  const isUploading = progress.value !== null;
  const isHydrated = useIsHydrated().value;
  return (
    <DropZone
      form={form}
      input={choice.input}
      label={texts.choose}
      hint={texts.hint({ limit })}
      hintWithScripts={texts.hintWithScripts({ limit })}
      accept={IMAGE_CONTENT_TYPES.join()}
      problem={image.problem.value}
      preview={<Avatar name={name} src={choice.preview.value ?? avatar.value} size={96} />}
      onFiles={choice.choose}
    >
      {(!isHydrated || choice.file.value) && (
        <CropField form={form} crop={image.crop} texts={texts} look={isHydrated ? undefined : "without-scripts"} />
      )}
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

type CropFieldProps = Pick<PhotoFieldProps, "form" | "texts"> & Pick<ImageUpload, "crop"> & { look?: string };

/** Chooses the part of a photo that stays when it becomes a square. The style sheet shows it in the preview. */
function CropField({ form, crop, texts, look }: CropFieldProps) {
  return (
    <fieldset class={look}>
      <legend>{texts.crop}</legend>
      <div class="crops">
        {IMAGE_CROPS.map((each) => (
          <label key={each} class="choice">
            <input
              form={form}
              type="radio"
              name="crop"
              value={each}
              checked={each === crop.value}
              onChange={() => crop.value = each}
            />
            {texts.crops[each]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
