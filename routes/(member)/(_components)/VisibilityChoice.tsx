import type { Visibility } from "../../../lib/uploads/schema.ts";
import type { Texts } from "../../../lib/texts/texts.ts";

interface VisibilityChoiceProps {
  /** The id of the form that sends the choice. */
  form: string;
  chosen: Visibility;
  errors?: string[];
  texts: Texts["library"]["audience"];
}

const ERROR_ID = "visibility-error";

/**
 * Chooses who can open the files of a form. It is plain HTML outside the island of the form, so that the choice that a
 * person makes before scripts run is not lost.
 */
export function VisibilityChoice({ form, chosen, errors, texts }: VisibilityChoiceProps) {
  const choices = [
    { value: "private", name: texts.private, hint: texts.privateHint },
    { value: "public", name: texts.public, hint: texts.publicHint },
  ] as const;
  return (
    <fieldset id="visibility" class="audience" tabindex={-1} aria-describedby={errors && ERROR_ID}>
      <legend>{texts.question}</legend>
      {choices.map(({ value, name, hint }) => (
        <label key={value} class="choice">
          <input
            form={form}
            type="radio"
            name="visibility"
            value={value}
            checked={value === chosen}
            aria-labelledby={`visibility-${value}`}
            aria-describedby={`visibility-${value}-hint`}
          />
          <span>
            <span id={`visibility-${value}`}>{name}</span>
            <span class="hint" id={`visibility-${value}-hint`}>{hint}</span>
          </span>
        </label>
      ))}
      {errors && <p class="field-error" id={ERROR_ID}>{errors.join(". ")}</p>}
    </fieldset>
  );
}
