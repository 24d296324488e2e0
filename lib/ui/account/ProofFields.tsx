import type { ErrorDetails } from "../../errors.ts";
import type { Words } from "../../words/words.ts";
import { Field } from "../form/Field.tsx";

/** What precedes the names of these fields, so that a form can have a password of its own. */
export const PROOF_PREFIX = "proof_";

/** The proof that a form needs before it can be submitted again. */
export interface MissingProof {
  methods: string[];
}

export interface ProofFieldsProps {
  /** Null if the person has recently proved who they are. Then nothing is shown. */
  proof: MissingProof | null;
  details: ErrorDetails;
  words: Words["proof"];
}

/** The fields of a form in which people prove again who they are. They fill in one of them. */
export function ProofFields({ proof, details, words }: ProofFieldsProps) {
  if (proof === null) return null;
  const { methods } = proof;
  const [password, code] = ["password", "code"].map((method) => PROOF_PREFIX + method);
  const [hasPassword, hasTotp] = ["password", "totp"].map((method) => methods.includes(method));
  return (
    <>
      {hasPassword && (
        <Field
          name={password}
          label={words.password}
          type="password"
          autocomplete="current-password"
          required={!hasTotp}
          errors={details[password]}
        />
      )}
      {(hasTotp || methods.includes("code")) && (
        <Field
          name={code}
          label={hasPassword ? words.orTotp : hasTotp ? words.totp : words.code}
          hint={hasTotp ? words.totpHint : words.codeHint}
          autocomplete="one-time-code"
          inputmode="numeric"
          required={!hasPassword}
          errors={details[code]}
        />
      )}
    </>
  );
}

/** The labels of the fields, for the message above the form. */
export function proofLabels(words: Words["proof"]): Record<string, string> {
  return { [`${PROOF_PREFIX}password`]: words.password, [`${PROOF_PREFIX}code`]: words.anyCode };
}
