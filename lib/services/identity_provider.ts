import { AppError } from "../errors/errors.ts";

/** The values that a browser keeps in a cookie while the person signs in at the provider. */
export interface SignInAttempt {
  state: string;
  codeVerifier: string;
  /** Null if the provider does not support OpenID Connect. */
  nonce: string | null;
}

/** The response of the provider, and the attempt that it belongs to. */
export interface SignInResponse {
  parameters: URLSearchParams;
  attempt: SignInAttempt;
}

/** A person's identity as the provider reports it. Only the subject has been checked. */
export interface IdpIdentity {
  /** The key of the provider. */
  provider: string;
  /** The issuer and its subject, unique among all people of all providers. */
  subject: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  picture: string | null;
  /** The groups that the provider's settings make of its claim. Null if it says nothing about groups. */
  groups: string[] | null;
}

/** Signs people in through the authorization code flow. */
export interface IdentityProvider {
  /** Whether it sends the browser back with a form. The caller then makes the state. */
  readonly postsAnswer: boolean;
  /**
   * Resolves within 5 seconds with the URL of the consent screen.
   *
   * @param options.loginHint the address that the person has entered.
   * @param options.state by default, a random one.
   * @throws {IdpError} idp_failed.
   */
  startSignIn(options?: { loginHint?: string; state?: string }): Promise<{ url: string; attempt: SignInAttempt }>;
  /**
   * Resolves within 10 seconds with the person who signed in.
   *
   * @throws {IdpError} idp_failed.
   */
  finishSignIn(response: SignInResponse): Promise<IdpIdentity>;
}

/**
 * Returns the identity provider with a key.
 *
 * @throws {AppError} IDP_NOT_CONFIGURED.
 */
export function requireProvider(
  { providers }: { providers: ReadonlyMap<string, IdentityProvider> },
  key: string,
): IdentityProvider {
  const provider = providers.get(key);
  if (provider === undefined) throw new AppError("IDP_NOT_CONFIGURED", { reason: "unknown" });
  return provider;
}
