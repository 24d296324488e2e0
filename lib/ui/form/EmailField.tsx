import type { ComponentChildren } from "preact";
import { Field } from "./Field.tsx";

interface EmailFieldProps {
  label: string;
  value?: string;
  errors?: string[];
  problem?: ComponentChildren;
  hint?: string;
  readonly?: boolean;
  autofocus?: boolean;
  /** What browsers may fill in. Default: the name of an account. */
  autocomplete?: string;
}

/** The email address of an account. Password managers store it as the user name. */
export function EmailField(props: EmailFieldProps) {
  return <Field name="email" type="email" autocomplete="username" inputmode="email" required {...props} />;
}
