import type { ComponentChildren } from "preact";
import type { ErrorDetails } from "../errors.ts";

export interface FormMessageProps {
  /** What was wrong with the form as a whole; nothing is shown without one. */
  message?: ComponentChildren;
  details: ErrorDetails;
  /** What people call the fields. */
  labels: Record<string, string>;
}

/** The summary above a form that was refused: it has the focus, and leads to the fields. */
export function FormMessage({ message, details, labels }: FormMessageProps) {
  if (message === undefined) return null;
  const fields = Object.entries(details).filter(([field]) => field in labels);
  return (
    <div class="form-message" role="alert" tabIndex={-1} autofocus>
      <p>{message}.</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(([field, errors]) => (
            <li key={field}>
              <a href={`#${field}`}>{`${labels[field]}: ${errors.join(". ")}`}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
