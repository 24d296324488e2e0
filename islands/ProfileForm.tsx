import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ConnectionNotice } from "../lib/browser/ConnectionNotice.tsx";
import { useLeaveGuard } from "../lib/browser/leaving.ts";
import { problemOf } from "../lib/browser/problem.tsx";
import { send } from "../lib/browser/send.ts";
import type { ErrorDetails } from "../lib/errors.ts";
import { CHECK_FIELDS } from "../lib/schemas/messages.ts";
import { PROFILE_FIELDS, PROFILE_LABELS, profileProblems, type ProfileTexts } from "../lib/schemas/profile_rules.ts";
import { BIO_MAX } from "../lib/schemas/user_rules.ts";
import { Field } from "../lib/ui/Field.tsx";
import { FormMessage } from "../lib/ui/FormMessage.tsx";
import { UserDetails } from "../lib/ui/UserDetails.tsx";

interface ProfileFormProps {
  /** As it is stored. */
  saved: ProfileTexts;
  /** As it was typed, where the server refused it. */
  typed: Partial<ProfileTexts>;
  avatar: Signal<string | null>;
  message?: string;
  details: ErrorDetails;
}

/** One's own profile: as others see it, and the form that changes it. */
export default function ProfileForm({ saved, typed, avatar, ...refused }: ProfileFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const shown = useSignal(saved);
  const details = useSignal(refused.details);
  const message = useSignal<ComponentChildren>(refused.message);
  const status = useSignal("");
  const isSaving = useSignal(false);
  const isDirty = useSignal(false);

  const look = () => {
    const now = textsOf(form.current!);
    isDirty.value = PROFILE_FIELDS.some((field) => now[field] !== shown.value[field]);
    if (isDirty.value) status.value = "";
  };
  const judge = ({ target, relatedTarget }: FocusEvent) => {
    // A message that appears under a press would move away what is pressed.
    if (relatedTarget instanceof Element && relatedTarget.matches("button, input[type=file]")) return;
    const { name } = target as HTMLInputElement;
    const { [name]: _old, ...others } = details.value;
    const problems = profileProblems(textsOf(form.current!))[name];
    details.value = problems === undefined ? others : { ...others, [name]: problems };
    if (message.value === CHECK_FIELDS && firstOf(details.value) === undefined) message.value = undefined;
  };
  /** Says what was wrong, and leads to where it is to be mended. */
  const refuse = (wrong: ErrorDetails, reason: ComponentChildren) => {
    const first = firstOf(wrong);
    details.value = wrong;
    message.value = first === undefined ? reason : CHECK_FIELDS;
    if (first !== undefined) inputOf(form.current!, first).focus();
    // Not before it has been rendered; its `autofocus` works in pages only.
    else setTimeout(() => form.current!.querySelector<HTMLElement>(".form-message")!.focus());
  };
  useEffect(look, []);
  useLeaveGuard(() => isDirty.peek() || isSaving.peek());

  const save = async (event: Event) => {
    event.preventDefault();
    if (isSaving.value) return;
    const texts = textsOf(form.current!);
    const problems = profileProblems(texts);
    if (firstOf(problems) !== undefined) return refuse(problems, CHECK_FIELDS);

    details.value = {};
    message.value = undefined;
    const before = shown.value;
    shown.value = texts;
    status.value = "Saving …";
    isSaving.value = true;
    // Only what has changed: the rest may have been changed elsewhere meanwhile.
    const changed = PROFILE_FIELDS.filter((field) => texts[field] !== before[field]);
    const json = Object.fromEntries(changed.map((field) => [field, texts[field]]));
    const answer = await send("PUT", "/api/profile", { json });
    isSaving.value = false;
    if (answer.isOk) {
      const user = answer.body.user as ProfileTexts;
      shown.value = user;
      for (const field of PROFILE_FIELDS) {
        const input = inputOf(form.current!, field);
        if (input.value === texts[field]) input.value = user[field];
      }
      look();
      status.value = "Your profile is saved.";
    } else {
      shown.value = before;
      status.value = "";
      look();
      refuse(answer.details, problemOf(answer));
    }
  };

  const field = (name: keyof ProfileTexts) => ({
    name,
    label: PROFILE_LABELS[name],
    value: typed[name] ?? saved[name],
    errors: details.value[name],
  });
  return (
    <>
      <UserDetails {...shown.value} avatar={avatar.value} />
      <form
        ref={form}
        id="texts"
        method="post"
        action="/profile"
        novalidate
        onSubmit={save}
        onInput={look}
        onFocusOut={judge}
      >
        <FormMessage message={message.value} details={details.value} labels={PROFILE_LABELS} />
        <Field {...field("name")} autocomplete="name" required />
        <Field {...field("bio")} rows={5} hint={`A few words, at most ${BIO_MAX} characters.`} />
        <Field {...field("location")} autocomplete="address-level2" />
        <Field {...field("website")} type="url" inputmode="url" autocomplete="url" hint="For example, example.com" />
        <ConnectionNotice kept="What you typed" />
        <div class="actions">
          <button type="submit" aria-disabled={isSaving.value}>Save profile</button>
          <p class="status" role="status">
            {status.value || (isDirty.value && "You have changes that are not saved.")}
          </p>
        </div>
      </form>
    </>
  );
}

function textsOf(form: HTMLFormElement): ProfileTexts {
  return Object.fromEntries(
    PROFILE_FIELDS.map((field) => [field, inputOf(form, field).value]),
  ) as unknown as ProfileTexts;
}

function firstOf(details: ErrorDetails): keyof ProfileTexts | undefined {
  return PROFILE_FIELDS.find((field) => field in details);
}

function inputOf(form: HTMLFormElement, field: keyof ProfileTexts): HTMLInputElement {
  return form.elements.namedItem(field) as HTMLInputElement;
}
