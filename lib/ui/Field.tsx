import type { JSX } from "preact";
import { IS_BROWSER } from "fresh/runtime";

export interface FieldProps extends JSX.HTMLAttributes<HTMLInputElement> {
  name: string;
  label: string;
  type?: string;
  /** What stands in the field at first. */
  value?: string;
  autocomplete?: string;
  inputmode?: "email" | "text" | "url";
  required?: boolean;
  readonly?: boolean;
  /** What helps to fill it in. */
  hint?: string;
  /** Height in lines; a field of one line without it. */
  rows?: number;
  /** What was wrong with the value; told beside the field and read out with it. */
  errors?: string[];
}

/** One labelled field with its hint and its errors. */
export function Field({ name, label, hint, errors = [], value, rows, ...input }: FieldProps) {
  const isInvalid = errors.length > 0;
  const notes = [hint !== undefined && `${name}-hint`, isInvalid && `${name}-error`].filter(Boolean).join(" ");
  const props = {
    // Of addresses and passwords the direction is the page's.
    dir: input.type === undefined ? "auto" as const : undefined,
    ...input,
    id: name,
    name,
    // Not `value`: what is typed before an island wakes up must stay.
    defaultValue: rows === undefined || IS_BROWSER ? value : textareaContent(value),
    "aria-invalid": isInvalid ? "true" as const : undefined,
    "aria-describedby": notes || undefined,
  };
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint !== undefined && <p class="hint" id={`${name}-hint`}>{hint}</p>}
      {rows === undefined ? <input {...props} /> : <textarea {...props as object} rows={rows} />}
      {isInvalid && <p class="field-error" id={`${name}-error`}>{errors.join(". ")}</p>}
    </div>
  );
}

/** A parser of HTML leaves out the line break that a textarea begins with, but only one. */
function textareaContent(value: string | undefined): string | undefined {
  return value?.replace(/^(?=[\r\n])/, "\n");
}
