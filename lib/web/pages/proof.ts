import type { Context, PageResponse } from "fresh";
import type { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import type { RenewedSession } from "../../access/session.ts";
import { AppError, type ProofMethod } from "../../errors/errors.ts";
import { type Proof, ProofSchema } from "../../sign_in/schema.ts";
import { CredentialTextSchema } from "../../sign_in/passkeys/schema.ts";
import { hasRecentProof, listSessionProofs, proofRequired, type ProofUse } from "../../sign_in/proof.ts";
import { reauthenticate, sendReauthenticationCode } from "../../sign_in/step_up.ts";
import { type MissingProof, PROOF_PREFIX } from "../../ui/account/ProofFields.tsx";
import { type Texts, textsIn } from "../../texts/texts.ts";
import type { MultipartForm } from "../../http/multipart.ts";
import { countRequest, underLimit } from "../middleware/rate_limit.ts";
import { requirePrincipal } from "../authentication/require_user.ts";
import { withSessionCookie } from "../authentication/session_cookie.ts";
import { currentSession, replaceSession } from "../authentication/current_session.ts";
import type { State } from "../state.ts";
import { EMPTY_FORM, type FormOptions, type FormState, submitUnlimitedForm } from "./form.ts";
import { withNext } from "./next_path.ts";
import { withData } from "./page_data.ts";
import { passkeyPlace } from "./passkeys.ts";
import { proofPurpose } from "./proof_purpose.ts";

/** A dangerous form. Its page renders `ProofFields` with `proof`. */
export interface ProvenFormState extends FormState {
  proof: MissingProof | null;
}

/** A dangerous form that has not been submitted. Its page has asked for the proof before. */
export const EMPTY_PROVEN_FORM: ProvenFormState = { ...EMPTY_FORM, proof: null };

/**
 * Returns a redirect to the page that asks for a proof, or null if there is a recent one. Call it before the page shows
 * a dangerous form.
 *
 * @throws {AppError} UNAUTHENTICATED.
 */
export async function askForProof(ctx: Context<State>): Promise<Response | null> {
  const { session } = await requirePrincipal(ctx);
  if (await hasRecentProof(ctx.state.services, session, useOf(ctx))) return null;
  return ctx.redirect(withNext("/reauthenticate", ctx.url.pathname + ctx.url.search), 303);
}

/**
 * Submits a dangerous form, like `submitForm`. If the proof has expired since the page asked for it, the form comes
 * back with everything that was typed and with the fields of the proof. A right proof in them renews the session, and
 * the action follows at once.
 *
 * @param options.needsProof whether an input needs a proof. By default, all do.
 */
export async function submitWithProof<T>(
  ctx: Context<State>,
  schema: z.ZodType<T>,
  act: (input: T, principal: Principal) => Promise<Response>,
  { needsProof = () => true, policy, ...options }: FormOptions<T> & { needsProof?(input: T): boolean } = {},
): Promise<Response | PageResponse<ProvenFormState>> {
  const { services } = ctx.state;
  const limitedAct = (input: T, principal: Principal) => underLimit(ctx, () => act(input, principal), policy?.(input));
  const result = await submitUnlimitedForm(ctx, schema, async (input, fields) => {
    const principal = await requirePrincipal(ctx);
    if (!needsProof(input) || await hasRecentProof(services, principal.session, useOf(ctx))) {
      return await limitedAct(input, principal);
    }
    const session = await proveInline(ctx, principal, fields);
    // The response to a double click is recorded, so it must have the cookie itself.
    return withSessionCookie(await limitedAct(input, { ...principal, session }), session.extended, services);
  }, {
    ...options,
    renewsSession: true,
    errorText: (error, texts, fields) =>
      proofErrorText(error, texts.proof) ?? options.errorText?.(error, texts, fields),
  });
  return await withData(result, async ({ code }) => {
    const proof = await findMissingProof(ctx);
    return code === "REAUTHENTICATION_REQUIRED" && proof !== null ? askAgain(proof, ctx.state) : { proof };
  });
}

/** A proof that has expired is the next step, not an error. */
function askAgain(proof: MissingProof, { language }: State) {
  const step = textsIn(language).proof.expired[proof.methods[0]];
  return { message: undefined, details: {}, proof: { ...proof, step } };
}

/** Returns the proof that the session needs, or null. */
export async function findMissingProof(ctx: Context<State>): Promise<MissingProof | null> {
  const { services } = ctx.state;
  const session = await currentSession(ctx);
  if (session === null || await hasRecentProof(services, session, useOf(ctx))) return null;
  return { methods: await listSessionProofs(services, session, useOf(ctx)), place: passkeyPlace(ctx) };
}

/** Returns the text of a dangerous form for a wrong proof. */
function proofErrorText(error: AppError, texts: Texts["proof"]): string | undefined {
  // The form may have a proof of its own, such as the first code of an authenticator app.
  if (error.is("PROOF_WRONG") && !error.data.field.startsWith(PROOF_PREFIX)) return undefined;
  return wrongProofText(error, texts);
}

/** Returns the text for a wrong proof. */
export function wrongProofText(error: AppError, texts: Texts["proof"]): string | undefined {
  return error.is("PROOF_WRONG") ? texts.wrong[error.data.proof] : undefined;
}

/** Returns the text for a missing proof: that of the first method, which the form asks for. */
export function missingProofText(error: AppError, texts: Record<ProofMethod, string>): string | undefined {
  return error.is("REAUTHENTICATION_REQUIRED") ? texts[error.data.methods[0]] : undefined;
}

async function proveInline(ctx: Context<State>, principal: Principal, fields: MultipartForm): Promise<RenewedSession> {
  if (proofIn(fields) === null && await firstMethod(ctx, principal) === "code") await emailCode(ctx, principal);
  const { services } = ctx.state;
  const only = useOf(ctx) === "access" ? await listSessionProofs(services, principal.session, "access") : undefined;
  return await proveOnPage(ctx, principal, fields, only);
}

/** What the page is for that asks for a proof. */
function useOf({ url: { pathname } }: Context<State>): ProofUse {
  return proofPurpose(pathname).use;
}

/** @throws {AppError} SECOND_FACTOR_SETUP_REQUIRED for a session that waits if this page cannot ask for a proof. */
async function firstMethod(ctx: Context<State>, { session }: Principal): Promise<ProofMethod> {
  const [first] = await listSessionProofs(ctx.state.services, session, useOf(ctx));
  if (first === undefined) throw new AppError("SECOND_FACTOR_SETUP_REQUIRED");
  return first;
}

/**
 * Emails a code that proves who the person is.
 *
 * @throws {AppError} RATE_LIMITED, and as {@linkcode sendReauthenticationCode} does.
 */
export async function emailCode(ctx: Context<State>, principal: Principal): Promise<void> {
  await countRequest(ctx, "mail");
  await sendReauthenticationCode(ctx.state.services, principal);
}

/**
 * Renews the session of the request with the proof in a form.
 *
 * @param only the methods that the page accepts. Default: all that the account has.
 * @throws {AppError} REAUTHENTICATION_REQUIRED when it is empty, or of another method; otherwise as
 * {@linkcode reauthenticate} does, about the fields of `ProofFields`.
 */
export async function proveOnPage(
  ctx: Context<State>,
  principal: Principal,
  fields: MultipartForm,
  only?: ProofMethod[],
): Promise<RenewedSession> {
  const proof = proofIn(fields);
  const isAccepted = proof !== null && (only === undefined || only.some((method) => FIELD_OF[method] in proof));
  if (!isAccepted) throw missingProof(only?.[0] ?? await firstMethod(ctx, principal));
  const session = await reauthenticate(ctx.state.services, principal, { proof, fieldPrefix: PROOF_PREFIX });
  replaceSession(ctx, session);
  return session;
}

/**
 * Returns the proof in the fields of a form, or null if they are empty or malformed. A passkey and a code come before a
 * password, which the browser may have filled in by itself.
 */
function proofIn(fields: MultipartForm): Proof | null {
  const [credential, code, password] = ["credential", "code", "password"].map((name) => fields[PROOF_PREFIX + name]);
  if (credential) {
    return ProofSchema.safeParse({ credential: CredentialTextSchema.safeParse(credential).data }).data ?? null;
  }
  return ProofSchema.safeParse(code ? { code } : { password: password || undefined }).data ?? null;
}

const FIELD_OF: Record<ProofMethod, string> = {
  password: "password",
  totp: "code",
  passkey: "credential",
  code: "code",
};

/** Returns the error for a form whose proof is empty. */
function missingProof(method: ProofMethod): AppError {
  return proofRequired([method], PROOF_PREFIX + FIELD_OF[method]);
}
