import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ConnectionNotice } from "../lib/browser/ConnectionNotice.tsx";
import { useImageUpload } from "../lib/browser/image_upload.ts";
import { PhotoField } from "../lib/browser/PhotoField.tsx";
import { firstInvalidField, useProfileForm } from "../lib/browser/profile_form.ts";
import { type ShownProfile, useProfileRequest } from "../lib/browser/profile_request.ts";
import type { FieldErrors } from "../lib/texts/field_errors.ts";
import { PROFILE_FIELDS, profileField, type ProfileTextName, type ProfileTexts } from "../lib/schemas/profile_rules.ts";
import { IMAGE_MAX_BYTES } from "../lib/uploads/rules.ts";
import { BIO_MAX } from "../lib/schemas/user_rules.ts";
import { say, type Text } from "../lib/texts/messages.ts";
import { sizeText } from "../lib/texts/size_text.ts";
import { Field } from "../lib/ui/form/Field.tsx";
import { FormIdField } from "../lib/ui/form/FormIdField.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { UserDetails } from "../lib/ui/UserDetails.tsx";
import { type IslandTexts, useTexts } from "../lib/texts/island_texts.ts";

interface ProfileFormProps extends ShownProfile {
  texts: IslandTexts<"network" | "photo" | "profile" | "rules" | "sizes">;
  /** Identifies the submission when the form is sent without JavaScript. */
  formId: string;
  /** The stored profile. */
  saved: ProfileTexts;
  /** What the person typed into the form that the server refused; empty for a fresh form. */
  typed: Partial<ProfileTexts>;
  avatar: string | null;
  /** Whether people may have photos. */
  hasPhoto: boolean;
  /** The part of the photo to keep, in a form that the server refused. */
  crop?: string;
  /** Why the server refused the form as a whole. */
  message?: string;
  /** Why the server refused fields of the form. */
  details: FieldErrors;
  /** What else the preview says. */
  children: ComponentChildren;
}

/** The user's own profile: a preview of what others see, and the form that changes its texts and photo. */
export default function ProfileForm(props: ProfileFormProps) {
  const { formId, userId, saved, typed, message, details } = props;
  const texts = useTexts(props.texts);
  const { labels, optional, hints, charactersLeft, charactersTooMany, preview, checkFields, save, saving, unsaved } =
    texts.profile;
  const hintTexts: Partial<Record<ProfileTextName, Text>> = hints;
  const sendProfile = useProfileRequest(props);
  const avatar = useSignal(props.avatar);
  const image = useImageUpload({
    name: saved.name,
    avatar,
    crop: props.crop,
    texts,
    problem: details.file?.[0],
    sendProfile,
  });
  const profile = useProfileForm({ saved, message, details, texts, sendProfile, onSaved: image.upload });
  const isInvalid = firstInvalidField(profile.details.value) !== undefined;
  const left = profile.bioLeft.value;
  const field = (name: ProfileTextName) => ({
    ...profileField(name).input,
    name,
    label: labels[name],
    optional,
    // The inner list gives the count a node of its own. A changed text counts as moved in right-to-left languages.
    hint: name === "bio" && left !== undefined
      ? [[left < 0 ? charactersTooMany({ excess: -left }) : charactersLeft({ left })]]
      : hintTexts[name] && say(hintTexts[name], { max: BIO_MAX }),
    value: typed[name] ?? saved[name],
    errors: profile.details.value[name],
  });
  return (
    <>
      <UserDetails {...profile.shown.value} avatar={avatar.value} label={preview}>{props.children}</UserDetails>
      <form
        ref={profile.form}
        id="texts"
        method="post"
        action="/profile"
        enctype={props.hasPhoto ? "multipart/form-data" : undefined}
        noValidate
        onSubmit={profile.save}
        onInput={profile.edit}
        onFocusOut={profile.validateField}
      >
        <FormMessage
          message={isInvalid ? checkFields : profile.failure.value}
          details={profile.details.value}
          labels={{ ...labels, file: "" }}
        />
        <FormIdField value={formId} />
        <input type="hidden" name="user_id" value={userId} />
        {PROFILE_FIELDS.map((name) => <Field key={name} {...field(name)} />)}
        <ConnectionNotice offlineText={texts.network.offlineKeepsText} />
        <div class="actions">
          <button type="submit" aria-disabled={profile.isSaving.value}>{save}</button>
          <p class="status" role="status">
            {profile.isSaving.value ? saving : profile.outcome.value || (profile.isDirty.value && unsaved)}
          </p>
        </div>
      </form>
      {props.hasPhoto && (
        <>
          <h2 class="no-print">{texts.photo.title}</h2>
          <PhotoField
            form="texts"
            name={saved.name}
            image={image}
            texts={texts.photo}
            limit={sizeText(IMAGE_MAX_BYTES, texts.sizes)}
          />
        </>
      )}
    </>
  );
}
