import type { ComponentChildren } from "preact";
import type { FieldErrors } from "../../texts/field_errors.ts";

export interface FormMessageProps {
  /** The error, or the heading above the errors of the fields. Without it, nothing is shown. */
  message?: ComponentChildren;
  details: FieldErrors;
  /**
   * The labels of the fields, by name. An empty one is for files, whose errors are always shown here, each by itself.
   */
  labels: Record<string, string>;
}

/**
 * The errors of a refused form, above it. Takes the focus, and links to the fields. The only field with an error does.
 */
export function FormMessage({ message, details, labels }: FormMessageProps) {
  const fields = Object.entries(details).filter(([field]) => field in labels);
  const isBesideField = fields.length === 1 && labels[fields[0][0]] !== "";
  if (message === undefined || isBesideField) return null;
  return (
    <div class="form-message" role="alert" tabindex={-1} autofocus>
      <p>{message}</p>
      {fields.length > 0 && (
        <ul>
          {fields.flatMap(([field, errors]) =>
            (labels[field] === "" ? errors : [summaryOf(labels[field], errors)]).map((text) => (
              <li key={text}>
                <a href={`#${field}`}>{text}</a>
              </li>
            ))
          )}
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
