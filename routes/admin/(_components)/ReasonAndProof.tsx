import type { Texts } from "../../../lib/texts/texts.ts";
import { ProofFields } from "../../../lib/ui/account/ProofFields.tsx";
import { Field } from "../../../lib/ui/form/Field.tsx";
import type { ProvenFormState } from "../../../lib/web/pages/proof.ts";

interface ReasonAndProofProps {
  form: ProvenFormState;
  texts: Texts;
  isRequired: boolean;
}

/** What each act of an admin asks for: why, and a recent proof. */
export function ReasonAndProof({ form: { values, details, proof }, texts, isRequired }: ReasonAndProofProps) {
  const { admin } = texts;
  return (
    <>
      <Field
        name="reason"
        label={admin.reason}
        hint={admin.reasonHint}
        optional={admin.optional}
        required={isRequired}
        autocomplete="off"
        value={values.reason}
        errors={details.reason}
      />
      <ProofFields proof={proof} details={details} texts={texts} />
    </>
  );
}
