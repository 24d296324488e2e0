import type { FieldErrors } from "../../texts/field_errors.ts";
import type { Texts } from "../../texts/texts.ts";
import { Field } from "../form/Field.tsx";
import { type PasskeyPlace, PasskeyRequest } from "./PasskeyRequest.tsx";

/** What precedes the names of these fields, so that a form can have a password of its own. */
export const PROOF_PREFIX = "proof_";

/** The proof that a form needs before it can be submitted again. */
export interface MissingProof {
  methods: string[];
  place: PasskeyPlace;
}

export interface ProofFieldsProps {
  /** Null if the person has recently proved who they are. Then nothing is shown. */
  proof: MissingProof | null;
  details: FieldErrors;
  texts: Texts["proof"];
}

/**
 * The fields of a form in which people prove again who they are. They fill in one of them, or use a passkey, which submits
 * the form.
 */
export function ProofFields({ proof, details, texts }: ProofFieldsProps) {
  if (proof === null) return null;
  const { methods, place } = proof;
  const [password, code, credential] = ["password", "code", "credential"].map((method) => PROOF_PREFIX + method);
  const [hasPassword, hasTotp] = ["password", "totp"].map((method) => methods.includes(method));
  const isAlone = methods.length === 1;
  return (
    <>
      {hasPassword && (
        <Field
          name={password}
          label={texts.password}
          type="password"
          autocomplete="current-password"
          required={isAlone}
          errors={details[password]}
        />
      )}
      {(hasTotp || methods.includes("code")) && (
        <Field
          name={code}
          label={hasPassword ? texts.orTotp : hasTotp ? texts.totp : texts.code}
          hint={hasTotp ? texts.totpHint : texts.codeHint}
          autocomplete="one-time-code"
          inputmode="numeric"
          required={isAlone}
          errors={details[code]}
        />
      )}
      {methods.includes("passkey") && (
        <PasskeyRequest
          kind="get"
          name={credential}
          label={texts.usePasskey}
          isSecondary={!isAlone}
          place={place}
          missing={isAlone ? texts.passkeyMissing : undefined}
          problems={texts.passkeyProblems}
        />
      )}
      {isAlone && methods.includes("passkey") && (
        <noscript>
          <p>{texts.passkeyNeedsScripts}</p>
        </noscript>
      )}
    </>
  );
}

/** The labels of the fields, for the message above the form. */
export function proofLabels(texts: Texts["proof"]): Record<string, string> {
  const labels = { password: texts.password, code: texts.anyCode, credential: texts.passkey };
  return Object.fromEntries(Object.entries(labels).map(([field, label]) => [PROOF_PREFIX + field, label]));
}
