import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { PASSWORD_RULES } from "../lib/schemas/user_rules.ts";

interface PasswordFieldProps {
  label: string;
  errors?: string[];
}

/** A new password: it can be shown, and the rules are ticked off while it is typed. */
export default function PasswordField({ label, errors = [] }: PasswordFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const isAwake = useSignal(false);
  const isShown = useSignal(false);
  const typed = useSignal("");
  const read = () => typed.value = input.current!.value.normalize("NFKC");
  useEffect(() => {
    isAwake.value = true;
    read();
  }, []);

  // A rule that even nothing fulfils is worth saying only where it is broken.
  const rules = PASSWORD_RULES.filter(({ holds }) => !holds("") || !holds(typed.value));
  return (
    <div class="field">
      <label for="password">{label}</label>
      <div class="password">
        <input
          ref={input}
          id="password"
          name="password"
          type={isShown.value ? "text" : "password"}
          autocomplete="new-password"
          required
          spellcheck={false}
          autocapitalize="none"
          aria-invalid={errors.length > 0 ? "true" : undefined}
          aria-describedby={errors.length > 0 ? "password-error password-rules" : "password-rules"}
          onInput={read}
          // Some password managers fill it in without an input event.
          onChange={read}
          onFocus={read}
        />
        <button
          class="quiet"
          type="button"
          hidden={!isAwake.value}
          aria-controls="password"
          aria-label={isShown.value ? "Hide password" : "Show password"}
          onClick={() => isShown.value = !isShown.value}
        >
          {isShown.value ? "Hide" : "Show"}
        </button>
      </div>
      {errors.length > 0 && <p class="field-error" id="password-error">{errors.join(". ")}</p>}
      <ul class="rules" id="password-rules">
        {rules.map(({ message, holds }) => (
          <li key={message} class={holds(typed.value) ? "met" : undefined}>
            {message}
            {holds(typed.value) && <span class="visually-hidden">: done</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
