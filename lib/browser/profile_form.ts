import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { PROFILE_FIELDS, profileProblems, type ProfileTexts } from "../schemas/profile_rules.ts";
import { bioCharactersLeft } from "../schemas/user_rules.ts";
import { type FieldErrors, fieldErrors } from "../texts/field_errors.ts";
import type { Texts } from "../texts/texts.ts";
import { failureText } from "./failure_text.tsx";
import { useLeaveGuard } from "./leave_guard.ts";
import { clearOutcomes, useOutcome } from "./outcome.ts";
import type { SendProfile } from "./profile_request.ts";

interface ProfileFormOptions {
  /** The stored profile. */
  saved: ProfileTexts;
  /** Why the server refused the form as a whole. */
  message?: string;
  /** Why the server refused fields of the form. */
  details: FieldErrors;
  texts: Pick<Texts, "network" | "profile" | "rules">;
  sendProfile: SendProfile;
  /** Runs after the texts have been saved. */
  onSaved(): void;
}

/** Validates and saves the profile form, and keeps track of unsaved changes. */
export function useProfileForm({ saved, texts, sendProfile, onSaved, ...refusal }: ProfileFormOptions) {
  const form = useRef<HTMLFormElement>(null);
  /** The profile as others see it, with the changes that are being saved. */
  const shown = useSignal(saved);
  const details = useSignal(refusal.details);
  /** Why the form as a whole was refused. Undefined while a field has an error. */
  const failure = useSignal<ComponentChildren>(
    firstInvalidField(refusal.details) === undefined ? refusal.message : undefined,
  );
  const outcome = useOutcome();
  const isSaving = useSignal(false);
  const isDirty = useSignal(false);
  /** How many more characters the bio may have, once scripts run. */
  const bioLeft = useSignal<number | undefined>(undefined);
  useLeaveGuard(() => isDirty.peek() || isSaving.peek());

  const compare = () => {
    const entered = textsOf(form.current!);
    bioLeft.value = bioCharactersLeft(entered.bio);
    isDirty.value = changedFields(entered, shown.value).length > 0;
    if (isDirty.value) outcome.value = "";
  };
  useEffect(compare, []);

  const validate = (entered: ProfileTexts) => fieldErrors(texts.rules, profileProblems(entered), entered);
  const setErrors = (name: string, errors?: string[]) => {
    const { [name]: _previous, ...others } = details.value;
    details.value = errors === undefined ? others : { ...others, [name]: errors };
  };
  /** An error disappears while it is being corrected. */
  const edit = ({ target }: Event) => {
    const { name } = target as HTMLInputElement;
    if (name in details.value) setErrors(name);
    compare();
  };
  const validateField = ({ target, relatedTarget }: FocusEvent) => {
    // The field loses the focus before a click on a button ends. An error message that appears then moves the button.
    if (relatedTarget instanceof Element && relatedTarget.matches("button, input[type=file]")) return;
    const { name } = target as HTMLInputElement;
    setErrors(name, validate(textsOf(form.current!))[name]);
  };

  const showErrors = (errors: FieldErrors, text?: ComponentChildren) => {
    details.value = errors;
    const first = firstInvalidField(errors);
    failure.value = first === undefined ? text : undefined;
    if (first !== undefined) inputOf(form.current!, first).focus();
    // Focus the message after it has been rendered. Its `autofocus` works only when a page loads.
    else setTimeout(() => form.current!.querySelector<HTMLElement>(".form-message, .connection")!.focus());
  };

  const save = async (event: Event) => {
    event.preventDefault();
    if (isSaving.value) return;
    clearOutcomes();
    const entered = textsOf(form.current!);
    const errors = validate(entered);
    if (firstInvalidField(errors) !== undefined) return showErrors(errors);

    details.value = {};
    failure.value = undefined;
    const before = shown.value;
    shown.value = entered;
    isSaving.value = true;
    // Sends only what has changed, because the other fields may have been changed in another tab.
    const json = Object.fromEntries(changedFields(entered, before).map((field) => [field, entered[field]]));
    const reply = await sendProfile(json, { before: { ...before } });
    isSaving.value = false;
    if (reply.isOk) {
      const user = reply.body.user as ProfileTexts;
      shown.value = user;
      showStored(form.current!, { sent: entered, stored: user });
      outcome.value = texts.profile.saved;
      compare();
      onSaved();
    } else {
      shown.value = reply.body.user as ProfileTexts | undefined ?? before;
      compare();
      showErrors(
        // The same rules have passed here, so the server runs a newer version. Its messages are for developers.
        Object.fromEntries(reply.refusedFields.map((field) => [field, [texts.rules.other]])),
        failureText(texts, reply, {
          FORBIDDEN: texts.network.someoneElse,
          PRECONDITION_FAILED: texts.profile.changedElsewhere,
        }),
      );
    }
  };

  return { form, shown, details, failure, outcome, isSaving, isDirty, bioLeft, edit, validateField, save };
}

/** The first field with an error, in the order of the form. */
export function firstInvalidField(details: FieldErrors): keyof ProfileTexts | undefined {
  return PROFILE_FIELDS.find((field) => field in details);
}

function changedFields(entered: ProfileTexts, saved: ProfileTexts): (keyof ProfileTexts)[] {
  return PROFILE_FIELDS.filter((field) => entered[field] !== saved[field]);
}

/** Fills in the stored texts, which may differ from what was sent, except where someone has typed since. */
function showStored(form: HTMLFormElement, { sent, stored }: { sent: ProfileTexts; stored: ProfileTexts }): void {
  for (const field of PROFILE_FIELDS) {
    const input = inputOf(form, field);
    if (input.value === sent[field]) input.value = stored[field];
  }
}

function textsOf(form: HTMLFormElement): ProfileTexts {
  const entries = PROFILE_FIELDS.map((field) => [field, inputOf(form, field).value]);
  return Object.fromEntries(entries) as unknown as ProfileTexts;
}

function inputOf(form: HTMLFormElement, field: keyof ProfileTexts): HTMLInputElement {
  return form.elements.namedItem(field) as HTMLInputElement;
}
