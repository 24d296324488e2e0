import type { ActiveSession } from "../access/session.ts";

/** How the person of a session has proved who they are. Source: OpenID Connect Core, 2; RFC 8176. */
export interface AuthenticationContext {
  authTime: Date;
  /** "2" with two factors, else "1". */
  acr: "1" | "2";
  amr: string[];
}

/** The part of a session that says how the person has proved who they are. */
export type ProvedSession = Pick<ActiveSession, "id" | "method" | "authenticatedAt" | "secondFactor">;

/** What each way to open a session, and each second proof, adds. Providers, invitations and links add nothing. */
const BY_METHOD: Record<ActiveSession["method"], string[]> = {
  password: ["pwd"],
  code: ["otp"],
  passkey: ["pop", "user", "mfa"],
  idp: [],
  invitation: [],
  link: [],
};
const BY_SECOND_FACTOR: Record<NonNullable<ActiveSession["secondFactor"]>, string[]> = {
  totp: ["otp", "mfa"],
  recovery_code: ["otp", "mfa"],
  passkey: ["pop", "user", "mfa"],
};

/** Returns how and when the person of a session last proved who they are. */
export function authenticationContext({ method, authenticatedAt, secondFactor }: ProvedSession): AuthenticationContext {
  const second = secondFactor === null ? [] : BY_SECOND_FACTOR[secondFactor];
  const amr = [...new Set([...BY_METHOD[method], ...second])];
  return { authTime: authenticatedAt, acr: amr.includes("mfa") ? "2" : "1", amr };
}
