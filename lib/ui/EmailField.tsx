import { Field } from "./Field.tsx";

interface EmailFieldProps {
  value?: string;
  errors?: string[];
  hint?: string;
  readonly?: boolean;
}

export const EMAIL_LABEL = "Email address";

/** The address that names an account; password managers take it for the user name. */
export function EmailField(props: EmailFieldProps) {
  const field = { name: "email", label: EMAIL_LABEL, type: "email", autocomplete: "username" };
  return <Field {...field} inputmode="email" required {...props} />;
}
