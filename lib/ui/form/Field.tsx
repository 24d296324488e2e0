import type { ComponentChildren, JSX } from "preact";

export interface FieldProps extends JSX.HTMLAttributes<HTMLInputElement> {
  name: string;
  label: string;
  /** Default: text. */
  type?: string;
  /** The initial value. */
  value?: string;
  autocomplete?: string;
  inputmode?: "email" | "numeric" | "text" | "url";
  required?: boolean;
  /** Follows the label, such as "(optional)", unless the field is required. */
  optional?: string;
  readonly?: boolean;
  /** Helps people fill in the field. */
  hint?: ComponentChildren;
  /** Height in lines. Without it, the field has one line. */
  rows?: number;
  /** A button inside the box of the field. */
  button?: ComponentChildren;
  /** A link beside the label. The keyboard reaches it after the field. */
  aside?: ComponentChildren;
  /** For a code of a few digits, which is shown large. */
  isCode?: boolean;
  /** Problems with the value, shown below the field and read out with it. The first field with one takes the focus. */
  errors?: string[];
  /** The only problem, if its text has links. */
  problem?: ComponentChildren;
}

/** One labeled field with its hint and its errors. */
export function Field({
  name,
  label,
  optional,
  hint,
  errors = [],
  problem = errors.length > 0 ? errors.join(". ") : undefined,
  autofocus,
  value,
  rows,
  button,
  aside,
  isCode,
  type = "text",
  ...input
}: FieldProps) {
  const isInvalid = problem !== undefined;
  const notes = [hint !== undefined && `${name}-hint`, isInvalid && `${name}-error`].filter(Boolean).join(" ");
  const props = {
    // Addresses, passwords and codes run from left to right in every language.
    dir: type === "text" && input.inputmode === undefined ? "auto" as const : "ltr" as const,
    // While a password is shown, browsers must not send it to a spelling checker.
    spellcheck: type === "password" ? false : undefined,
    ...input,
    autofocus: autofocus || isInvalid,
    id: name,
    name,
    // Not `value`: hydration must keep what people have already typed.
    defaultValue: rows === undefined ? value : textareaContent(value),
    "aria-invalid": isInvalid ? "true" as const : undefined,
    "aria-describedby": notes || undefined,
  };
  const control = rows === undefined
    ? <input class={isCode ? "code" : undefined} {...props} type={type} />
    : <textarea {...props as object} rows={rows} />;
  return (
    <div class="field">
      <label for={name}>{optional === undefined || input.required ? label : `${label} ${optional}`}</label>
      {hint !== undefined && <p class="hint" id={`${name}-hint`}>{hint}</p>}
      {button === undefined ? control : <div class="password">{control}{button}</div>}
      {isInvalid && <p class="field-error" id={`${name}-error`}>{problem}</p>}
      {aside !== undefined && <p class="aside">{aside}</p>}
    </div>
  );
}

/**
 * HTML parsers drop one line break at the start of a textarea, so this adds one more. Hydration keeps what they read.
 */
function textareaContent(value: string | undefined): string | undefined {
  return value?.replace(/^(?=[\r\n])/, "\n");
}
