import type { JSX } from "preact";

export interface FieldProps extends JSX.HTMLAttributes<HTMLInputElement> {
  name: string;
  label: string;
  type?: string;
  value?: string;
  autocomplete?: string;
  required?: boolean;
  /** What was wrong with the value; told beside the field and read out with it. */
  errors?: string[];
  /** True on the first field with an error of its form: it gets the focus. */
  autofocus?: boolean;
}

/** One labelled input with its errors. */
export function Field({ name, label, errors = [], ...input }: FieldProps) {
  const errorId = `${name}-error`;
  const isInvalid = errors.length > 0;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        aria-invalid={isInvalid ? "true" : undefined}
        aria-describedby={isInvalid ? errorId : undefined}
        {...input}
      />
      {isInvalid && <p class="field-error" id={errorId}>{errors.join(". ")}</p>}
    </div>
  );
}
