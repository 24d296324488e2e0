import type { ComponentChildren } from "preact";
import type { FieldErrors } from "../../texts/field_errors.ts";

export interface FormMessageProps {
  /** The error, or the heading above the errors of the fields. Without it, nothing is shown. */
  message?: ComponentChildren;
  details: FieldErrors;
  /** The labels of the fields, by name. An empty label is not shown. */
  labels: Record<string, string>;
  /** The field that the message is about, if it is about one. The field has no error of its own. */
  field?: string;
}

/** The errors of a refused form, above it. Takes the focus, and links to the fields. */
export function FormMessage({ message, details, labels, field }: FormMessageProps) {
  if (message === undefined) return null;
  const fields = Object.entries(details).filter(([field]) => field in labels);
  return (
    <div id={field && `${field}-error`} class="form-message" role="alert" tabindex={-1} autofocus>
      <p>{message}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(([field, errors]) => (
            <li key={field}>
              <a href={`#${field}`}>{summaryOf(labels[field], errors)}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Names the field, unless the errors do. */
function summaryOf(label: string, errors: string[]): string {
  const text = errors.join(". ");
  return text.toLowerCase().includes(label.toLowerCase()) ? text : `${label}: ${text}`;
}
