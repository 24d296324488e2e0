import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";
import { FoyerError, FoyerUnavailable } from "./errors.ts";

/** What an access token says. `sub` is the id of the person; it begins with `client:` if a program acts as itself. */
export interface TokenClaims extends JWTPayload {
  sub: string;
  aud: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  picture?: string;
  role?: "user" | "admin";
  /** Of an app's token: the app, and what it may do. */
  client_id?: string;
  scope?: string;
}

/** `JWT`: for a page of a product. `at+jwt`: for an app. Source: RFC 9068, 2.1. */
const TYPES = ["JWT", "at+jwt"];
const ALGORITHMS = ["ES256"];

/** Returns a function that checks access tokens by Foyer's public keys, which it keeps. */
export function tokenVerifier(url: string): (token: string, audience: string) => Promise<TokenClaims> {
  const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`));
  return async (token, audience) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer: url,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ["sub", "exp"],
      });
      if (!TYPES.includes(protectedHeader.typ ?? "")) throw refused(`it is of type ${protectedHeader.typ}`);
      return payload as TokenClaims;
    } catch (error) {
      if (error instanceof FoyerError) throw error;
      if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)) {
        throw new FoyerUnavailable(`The keys of ${url} cannot be read`, { cause: error });
      }
      throw refused(error.message, error);
    }
  };
}

function refused(why: string, cause?: unknown): FoyerError {
  return new FoyerError(401, { code: "TOKEN_INVALID", message: `The access token is refused: ${why}` }, { cause });
}
