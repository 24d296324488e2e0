import type { ProofUse } from "../../sign_in/proof.ts";
import type { Texts } from "../../texts/texts.ts";

/** Why a page asks who someone is, and the page for people who change their minds. */
export interface ProofPurpose {
  /** The name of its text; null if the page that asks is unknown. */
  name: keyof Texts["proof"]["purposes"] | null;
  cancelPath: string;
  use: ProofUse;
}

const METHODS = "/settings/sign-in-methods";

/** The pages that ask for a proof, by the start of their path. The first match counts. */
const PURPOSES: [path: string, name: ProofPurpose["name"], cancelPath: string, use?: ProofUse][] = [
  ["/settings/email", "email", "/profile", "access"],
  ["/settings/password", "password", METHODS, "access"],
  [`${METHODS}/add`, "method", METHODS, "access"],
  [`${METHODS}/confirm`, "method", METHODS],
  [`${METHODS}/remove`, "methodRemoval", METHODS],
  [`${METHODS}/authenticator/recovery-codes`, "recoveryCodes", METHODS],
  [`${METHODS}/authenticator/remove`, "appRemoval", METHODS],
  [`${METHODS}/authenticator`, "app", METHODS, "access"],
  [`${METHODS}/passkeys/add`, "passkey", METHODS, "access"],
  [`${METHODS}/passkeys/`, "passkeyRemoval", METHODS],
  ["/settings/tokens/", "token", "/settings/tokens"],
  ["/settings/data/export", "data", "/settings/data"],
  ["/close-account", "closing", "/settings/data"],
  ["/oauth/authorize", "authorization", "/dashboard"],
  ["/device", "device", "/dashboard"],
  ["/admin/users", null, "/admin/users"],
  ["/admin/apps", null, "/admin/apps"],
  ["/admin/groups", null, "/admin/groups"],
  ["/admin/emails", null, "/admin/emails"],
  ["/admin/webhooks", null, "/admin/webhooks"],
];

/** Returns what a proof is for. The page that asks for it has sent its own path. */
export function proofPurpose(next: string | null): ProofPurpose {
  const [path] = (next ?? "").split("?");
  const [, name = null, cancelPath = "/dashboard", use = "act"] = PURPOSES.find(([start]) => path.startsWith(start)) ??
    [];
  return { name, cancelPath, use };
}
