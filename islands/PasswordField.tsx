import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useCorrectedErrors } from "../lib/browser/corrected_errors.ts";
import { PASSWORD_RULES } from "../lib/schemas/credential_rules.ts";
import { ShowPassword } from "../lib/ui/form/ShowPassword.tsx";
import type { PasswordTexts } from "../lib/texts/password_texts.ts";

interface PasswordFieldProps {
  texts: PasswordTexts;
  label: string;
  errors?: string[];
}

/** A field for a new password. It can show the password, and checks off the rules as the user types. */
export default function PasswordField({ texts, label, errors = [] }: PasswordFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const typed = useSignal("");
  const read = () => typed.value = input.current!.value.normalize("NFKC");
  const isInvalid = useSignal(errors.length > 0);
  useEffect(() => void read(), []);
  useCorrectedErrors(input);

  // A rule that an empty field meets, such as the maximum length, is listed only while it is broken.
  const rules = PASSWORD_RULES.filter(({ holds }) => !holds("") || !holds(typed.value));
  return (
    <div class="field">
      <label for="password">{label}</label>
      <div class="password">
        <input
          ref={input}
          id="password"
          name="password"
          type="password"
          dir="ltr"
          spellcheck={false}
          autocomplete="new-password"
          required
          autofocus={errors.length > 0}
          aria-invalid={isInvalid.value ? "true" : undefined}
          aria-describedby={`${isInvalid.value ? "password-error " : ""}password-needs password-rules`}
          onInput={() => {
            isInvalid.value = false;
            read();
          }}
          // Some password managers fill in the field without an input event.
          onChange={read}
          onFocus={read}
        />
        <ShowPassword texts={texts} />
      </div>
      {isInvalid.value && <p class="field-error" id="password-error">{errors.join(". ")}</p>}
      <p class="hint" id="password-needs">{texts.needs}</p>
      <ul class="rules" id="password-rules">
        {rules.map((rule) => (
          <li key={rule.problem.rule} class={rule.holds(typed.value) ? "met" : undefined}>
            {texts.rules[rule.problem.rule]}
            {rule.holds(typed.value) && <span class="visually-hidden">{texts.done}</span>}
          </li>
        ))}
        <li>{texts.notGuessable}</li>
      </ul>
    </div>
  );
}
