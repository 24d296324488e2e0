import type { ComponentChildren } from "preact";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { proofLabels } from "../../../lib/ui/account/ProofFields.tsx";
import { FormId } from "../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../lib/ui/form/FormMessage.tsx";
import type { ProvenFormState } from "../../../lib/web/pages/proof.ts";
import { ReasonAndProof } from "./ReasonAndProof.tsx";

interface ActFormProps {
  action: string;
  form: ProvenFormState;
  isReasonRequired: boolean;
  /** What the button says. */
  submit: string;
  /** Where people go who change their minds, if the act takes something away. */
  cancel?: string;
  /** Fields before the reason. */
  children?: ComponentChildren;
  /** Their labels. */
  labels?: Record<string, string>;
  language: Language;
}

/** The form of an act: the reason, a new proof of identity when it is due, and the button. */
export function ActForm(
  { action, form, isReasonRequired, submit, cancel, children, labels, language }: ActFormProps,
) {
  const catalog = textsIn(language);
  const { admin: texts, proof: proofTexts } = catalog;
  const { message, details } = form;
  return (
    <form method="post" action={action} novalidate>
      <FormId />
      <FormMessage
        message={message}
        details={details}
        labels={{ ...labels, reason: texts.reason, ...proofLabels(proofTexts) }}
      />
      {children}
      <ReasonAndProof form={form} texts={catalog} isRequired={isReasonRequired} />
      <div class="actions">
        <button class={cancel === undefined ? undefined : "danger last"} type="submit">{submit}</button>
        {cancel !== undefined && <a class="button secondary" href={cancel}>{proofTexts.cancel}</a>}
      </div>
    </form>
  );
}
