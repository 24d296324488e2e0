import type { Context, PageResponse } from "fresh";
import { AppError } from "../../errors/errors.ts";
import { LOCALHOST } from "../../network/loopback.ts";
import { PasskeyLoginFormSchema } from "../../sign_in/passkeys/schema.ts";
import { logInWithPasskey } from "../../sign_in/passkeys/passkey_login.ts";
import type { PasskeyPlace } from "../../ui/account/PasskeyRequest.tsx";
import { textsIn } from "../../texts/texts.ts";
import { sessionClientOf } from "../client.ts";
import { redirectSignedIn } from "../authentication/sign_in_response.ts";
import type { State } from "../state.ts";
import { type FormState, submitForm } from "./form.ts";
import { loginLimitText } from "./login_limit.ts";
import { nextPath, withNext } from "./next_path.ts";
import { redirectWithNotice } from "./notice.ts";

/** Where the button for passkeys on the login page sends its form. */
export const PASSKEY_LOGIN_PATH = "/login?with=passkey";

/** Whether a form is the one of the button for passkeys. */
export function isPasskeyLogin({ searchParams }: URL): boolean {
  return searchParams.get("with") === "passkey";
}

/** Logs in with the passkey in a form, like `POST /auth/passkey`. Call it under the policy `login`. */
export async function submitPasskeyLogin(ctx: Context<State>): Promise<Response | PageResponse<FormState>> {
  const { services } = ctx.state;
  const next = nextPath(ctx);
  return await submitForm(ctx, PasskeyLoginFormSchema, async ({ credential }) => {
    const { session } = await logInWithPasskey(services, credential, await sessionClientOf(ctx));
    return redirectSignedIn(ctx, session, { next });
  }, {
    redirectOnError: ({ code }) =>
      code === "EMAIL_NOT_VERIFIED" ? redirectWithNotice(ctx, withNext("/verify-email", next), "verify_first") : null,
    errorText: (error, texts) =>
      error.code === "INVALID_CREDENTIALS" ? texts.passkeys.refused : loginLimitText(error, ctx.state),
  });
}

/**
 * Returns the credential in a form.
 *
 * @throws {AppError} VALIDATION_FAILED without details when the form was sent without one.
 */
export function requireCredential<Credential>(credential: Credential | null): Credential {
  if (credential === null) throw new AppError("VALIDATION_FAILED", { reason: "credential" });
  return credential;
}

/** Returns where passkeys work, for the parts of a page that create or use them. */
export function passkeyPlace(
  { url, state: { services, language } }: Pick<Context<State>, "url" | "state">,
): PasskeyPlace {
  const { rpId, origins, arePossible } = services.config.passkeys;
  const { passkeys: texts } = textsIn(language);
  if (!arePossible) return { rpId, elsewhere: null, nowhere: texts.nowhere };
  if (rpId !== LOCALHOST) return { rpId, elsewhere: null };
  const href = origins.at(-1) + url.pathname + url.search;
  return {
    rpId,
    elsewhere: { href, text: texts.elsewhere({ host: rpId }), link: texts.elsewhereLink({ host: rpId }) },
  };
}
