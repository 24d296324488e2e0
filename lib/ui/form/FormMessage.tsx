import type { ComponentChildren } from "preact";
import type { FieldErrors } from "../../texts/field_errors.ts";

export interface FormMessageProps {
  /** The error, or the heading above the errors of the fields. Without it, nothing is shown. */
  message?: ComponentChildren;
  details: FieldErrors;
  /** The labels of the fields, by name. An empty one is for what cannot take the focus: its error is always shown here. */
  labels: Record<string, string>;
}

/** The errors of a refused form, above it. Takes the focus, and links to the fields. The only field with an error does. */
export function FormMessage({ message, details, labels }: FormMessageProps) {
  const fields = Object.entries(details).filter(([field]) => field in labels);
  const isBesideField = fields.length === 1 && labels[fields[0][0]] !== "";
  if (message === undefined || isBesideField) return null;
  return (
    <div class="form-message" role="alert" tabindex={-1} autofocus>
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
