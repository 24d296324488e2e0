import type { ErrorDetails } from "../../errors.ts";
import type { Words } from "../../words/words.ts";
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
  details: ErrorDetails;
  words: Words["proof"];
}

/** The fields of a form in which people prove again who they are. A passkey submits the form by itself. */
export function ProofFields({ proof, details, words }: ProofFieldsProps) {
  if (proof === null) return null;
  const { methods, place } = proof;
  const [password, credential, code] = ["password", "credential", "code"].map((field) => PROOF_PREFIX + field);
  const hasOthers = methods.some((method) => method !== "passkey");
  return (
    <>
      {methods.includes("password") && (
        <Field
          name={password}
          label={words.password}
          type="password"
          autocomplete="current-password"
          required
          errors={details[password]}
        />
      )}
      {methods.includes("code") && (
        <Field
          name={code}
          label={words.code}
          hint={words.codeHint}
          autocomplete="one-time-code"
          inputmode="numeric"
          required
          errors={details[code]}
        />
      )}
      {methods.includes("passkey") && (
        <PasskeyRequest
          kind="get"
          name={credential}
          label={words.usePasskey}
          isSecondary={hasOthers}
          place={place}
          missing={hasOthers ? undefined : words.passkeyMissing}
          problems={words.passkeyProblems}
        />
      )}
      {methods.includes("passkey") && !hasOthers && (
        <noscript>
          <p>{words.passkeyNeedsScripts}</p>
        </noscript>
      )}
    </>
  );
}

/** The labels of the fields, for the message above the form. */
export function proofLabels(words: Words["proof"]): Record<string, string> {
  const { password, passkey: credential, code } = words;
  return Object.fromEntries(
    Object.entries({ password, credential, code }).map(([field, label]) => [PROOF_PREFIX + field, label]),
  );
}
