import { deepStrictEqual } from "node:assert/strict";
import type { ProofUse } from "../../sign_in/proof.ts";
import { proofPurpose } from "./proof_purpose.ts";

const METHODS = "/settings/sign-in-methods";

Deno.test("proofPurpose knows the purpose by the path of the page that asks", () => {
  const cases: [next: string | null, name: string | null, cancelPath: string, use?: ProofUse][] = [
    ["/settings/email?x=1", "email", "/profile", "access"],
    ["/settings/password", "password", METHODS, "access"],
    [`${METHODS}/add?provider=google`, "method", METHODS, "access"],
    [`${METHODS}/remove?id=1`, "methodRemoval", METHODS],
    [`${METHODS}/authenticator`, "app", METHODS, "access"],
    [`${METHODS}/authenticator/confirm`, "app", METHODS, "access"],
    [`${METHODS}/authenticator/remove`, "appRemoval", METHODS],
    [`${METHODS}/authenticator/recovery-codes`, "recoveryCodes", METHODS],
    [`${METHODS}/passkeys/add`, "passkey", METHODS, "access"],
    [`${METHODS}/passkeys/0198/remove`, "passkeyRemoval", METHODS],
    ["/settings/tokens/new", "token", "/settings/tokens"],
    ["/settings/data/export", "data", "/settings/data"],
    ["/close-account", "closing", "/settings/data"],
    ["/oauth/authorize?client_id=wiki", "authorization", "/dashboard"],
    ["/users?next=/settings/email", null, "/dashboard"],
    [null, null, "/dashboard"],
  ];
  for (const [next, name, cancelPath, use = "act"] of cases) {
    deepStrictEqual(proofPurpose(next), { name, cancelPath, use }, String(next));
  }
});
