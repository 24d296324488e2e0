import type { Signal } from "@preact/signals";
import { ConnectionNotice } from "../lib/browser/ConnectionNotice.tsx";
import { firstInvalidField, useProfileForm } from "../lib/browser/profile_form.ts";
import type { ErrorDetails } from "../lib/errors.ts";
import type { ProfileTexts } from "../lib/schemas/profile_rules.ts";
import { BIO_MAX } from "../lib/schemas/user_rules.ts";
import { Field } from "../lib/ui/Field.tsx";
import { FormMessage } from "../lib/ui/FormMessage.tsx";
import { UserDetails } from "../lib/ui/UserDetails.tsx";
import { profileWordsIn } from "../lib/words/islands/profile.ts";
import type { Language } from "../lib/words/words.ts";

interface ProfileFormProps {
  language: Language;
  /** The stored profile. */
  saved: ProfileTexts;
  /** What the server refused. */
  typed: Partial<ProfileTexts>;
  avatar: Signal<string | null>;
  /** Why the server refused the form as a whole. */
  message?: string;
  /** Why the server refused fields of the form. */
  details: ErrorDetails;
}

/** The user's own profile: a preview of what others see, and the form that changes it. */
export default function ProfileForm({ language, saved, typed, avatar, message, details }: ProfileFormProps) {
  const words = profileWordsIn(language);
  const { labels, preview, bioHint, websiteHint, checkFields, save, unsaved } = words.profile;
  const profile = useProfileForm({ saved, message, details, words });
  const isInvalid = firstInvalidField(profile.details.value) !== undefined;
  const field = (name: keyof ProfileTexts) => ({
    name,
    label: labels[name],
    value: typed[name] ?? saved[name],
    errors: profile.details.value[name],
  });
  return (
    <>
      <UserDetails {...profile.shown.value} avatar={avatar.value} label={preview} />
      <form
        ref={profile.form}
        id="texts"
        method="post"
        action="/profile"
        novalidate
        onSubmit={profile.save}
        onInput={profile.updateDirty}
        onFocusOut={profile.validateField}
      >
        <FormMessage
          message={isInvalid ? checkFields : profile.failure.value}
          details={profile.details.value}
          labels={labels}
        />
        <Field {...field("name")} autocomplete="name" required />
        <Field {...field("bio")} rows={5} hint={bioHint(BIO_MAX)} />
        <Field {...field("location")} autocomplete="address-level2" />
        <Field {...field("website")} type="url" inputmode="url" autocomplete="url" hint={websiteHint} />
        <ConnectionNotice offlineText={words.network.offlineKeepsText} />
        <div class="actions">
          <button type="submit" aria-disabled={profile.isSaving.value}>{save}</button>
          <p class="status" role="status">{profile.status.value || (profile.isDirty.value && unsaved)}</p>
        </div>
      </form>
    </>
  );
}
