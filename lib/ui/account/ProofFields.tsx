import type { ProofMethod } from "../../errors/errors.ts";
import type { FieldErrors } from "../../texts/field_errors.ts";
import type { Texts } from "../../texts/texts.ts";
import { Field } from "../form/Field.tsx";
import { ShowPassword } from "../form/ShowPassword.tsx";
import { type PasskeyPlace, PasskeyRequest } from "./PasskeyRequest.tsx";

/** What precedes the names of these fields, so that a form can have a password of its own. */
export const PROOF_PREFIX = "proof_";

/** The proof that a form needs before it can be submitted again. */
export interface MissingProof {
  methods: ProofMethod[];
  place: PasskeyPlace;
  /** What to do, if the proof expired while someone filled in the form. */
  step?: string;
}

export interface ProofFieldsProps {
  /** Null if the person has recently proved who they are. Then nothing is shown. */
  proof: MissingProof | null;
  details: FieldErrors;
  /** Whether the page is only for the proof. Then its field takes the focus. */
  isFocused?: boolean;
  texts: Pick<Texts, "proof" | "password">;
}

/**
 * The fields of a form in which people prove again who they are. They use a passkey, which submits the form, or fill in
 * one of the fields. The button of the form comes after them.
 */
export function ProofFields(
  { proof, details, isFocused, texts: { proof: texts, password: showTexts } }: ProofFieldsProps,
) {
  if (proof === null) return null;
  const { methods, place, step } = proof;
  const [password, code, credential] = ["password", "code", "credential"].map((method) => PROOF_PREFIX + method);
  const [hasPassword, hasTotp] = (["password", "totp"] as const).map((method) => methods.includes(method));
  const isAlone = methods.length === 1;
  return (
    <>
      {step !== undefined && <p class="card callout warn" role="alert" tabindex={-1} autofocus>{step}</p>}
      {methods.includes("passkey") && (
        <PasskeyRequest
          kind="get"
          name={credential}
          label={texts.usePasskey}
          isSecondary={!isAlone}
          place={place}
          missing={isAlone ? texts.passkeyMissing : undefined}
          noScripts={isAlone ? texts.passkeyNeedsScripts : undefined}
          or={isAlone ? undefined : texts.or}
          problems={texts.passkeyProblems}
        />
      )}
      {hasPassword && (
        <Field
          name={password}
          label={texts.password}
          type="password"
          autocomplete="current-password"
          required={isAlone}
          autofocus={isFocused && details[code] === undefined}
          errors={details[password]}
          button={<ShowPassword texts={showTexts} />}
        />
      )}
      {(hasTotp || methods.includes("code")) && (
        <Field
          name={code}
          label={hasPassword ? texts.orTotp : hasTotp ? texts.totp : texts.code}
          hint={hasTotp ? texts.totpHint : texts.codeHint}
          autocomplete="one-time-code"
          inputmode="numeric"
          isCode
          required={isAlone}
          autofocus={isFocused && !hasPassword}
          errors={details[code]}
        />
      )}
    </>
  );
}

/** The labels of the fields, for the message above the form. A passkey is no field. */
export function proofLabels(texts: Texts["proof"]): Record<string, string> {
  const labels = { password: texts.password, code: texts.anyCode, credential: "" };
  return Object.fromEntries(Object.entries(labels).map(([field, label]) => [PROOF_PREFIX + field, label]));
}
