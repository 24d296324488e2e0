import { asset } from "fresh/runtime";
import { FormIdField } from "./FormIdField.tsx";

/** Identifies a form, so that a double click counts once, and brings the script that shows that it has been sent. */
export function FormId({ value = crypto.randomUUID() }: { value?: string }) {
  return (
    <>
      <FormIdField value={value} />
      <script defer src={asset("/forms.js")} />
    </>
  );
}
