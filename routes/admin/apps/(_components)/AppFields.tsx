import { APP_FIELDS, APP_KINDS, type AppField, DEFAULT_KIND } from "../../../../lib/clients/app_form.ts";
import { type Language, type Texts, textsIn } from "../../../../lib/texts/texts.ts";
import { proofLabels } from "../../../../lib/ui/account/ProofFields.tsx";
import { Field } from "../../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../lib/ui/form/FormMessage.tsx";
import type { ProvenFormState } from "../../../../lib/web/pages/proof.ts";
import { ReasonAndProof } from "../../(_components)/ReasonAndProof.tsx";

interface AppFieldsProps {
  action: string;
  form: ProvenFormState;
  /** What it shows before anyone has entered something. */
  initial: Record<string, string>;
  /** Whether the form makes an app: then it asks for its kind. */
  isNew: boolean;
  language: Language;
}

/** Height in lines. */
const ROWS = 3;

/** The form that makes or changes an app. */
export function AppFields({ action, form, initial, isNew, language }: AppFieldsProps) {
  const catalog = textsIn(language);
  const { admin, proof: proofTexts } = catalog;
  const { apps: texts } = admin;
  const { message, details } = form;
  const values = Object.keys(form.values).length === 0 ? initial : form.values;
  const labels = { ...texts.fields, reason: admin.reason, ...proofLabels(proofTexts) };
  return (
    <form method="post" action={action} novalidate>
      <FormId />
      <FormMessage message={message} details={details} labels={labels} />
      {isNew && (
        <fieldset>
          <legend>{texts.kind}</legend>
          {APP_KINDS.map((kind) => (
            <label key={kind} class="choice">
              <input type="radio" name="kind" value={kind} checked={(values.kind ?? DEFAULT_KIND) === kind} />
              <span>{texts.kinds[kind]}</span>
            </label>
          ))}
        </fieldset>
      )}
      {(Object.keys(APP_FIELDS) as AppField[]).map((name) => (
        <AppFormField key={name} name={name} texts={admin} value={values[name]} errors={details[name]} />
      ))}
      <label class="choice">
        <input type="checkbox" name="stays" checked={values.stays !== undefined} />
        <span>{texts.stays}</span>
      </label>
      <ReasonAndProof form={form} texts={catalog} isRequired />
      <button type="submit">{isNew ? texts.create : texts.save}</button>
    </form>
  );
}

function AppFormField(
  { name, texts, value, errors }: { name: AppField; texts: Texts["admin"]; value?: string; errors?: string[] },
) {
  const { fields, hints } = texts.apps;
  const isAddress = /_uris?$/.test(name);
  return (
    <Field
      name={name}
      label={fields[name]}
      hint={(hints as Partial<Record<AppField, string>>)[name]}
      required={name === "client_name"}
      optional={name === "redirect_uris" || name === "scope" ? undefined : texts.optional}
      autocomplete="off"
      inputmode={isAddress ? "url" : undefined}
      rows={APP_FIELDS[name] === "lines" ? ROWS : undefined}
      value={value}
      errors={errors}
    />
  );
}
