import type { ProviderFailure, ProviderStep } from "../errors/errors.ts";
import type { ProviderFetch } from "./provider_fetch.ts";

/** Other texts are not error codes, and may contain anything. */
const ERROR_CODE = /^[\w.-]{1,64}$/;
const DESCRIPTION_MAX = 200;
const REDACTED = "[redacted]";
/** Parameters of a request that are not secret. */
const PUBLIC_PARAMETERS = ["grant_type", "client_id", "redirect_uri"];

/** Where a sign-in is, and what the provider last responded. A failure is logged with it. */
export interface ProviderTrace {
  step?: ProviderStep;
  last: Pick<ProviderFailure, "host" | "status" | "error" | "errorDescription">;
}

/** Creates a `fetch` that keeps what the provider says about the last request. */
export function traced(fetch: ProviderFetch, trace: ProviderTrace): ProviderFetch {
  return async (address, init) => {
    trace.last = { host: URL.parse(address)?.host };
    const response = await fetch(address, init);
    Object.assign(trace.last, { status: response.status, ...await errorIn(response, init) });
    return response;
  };
}

/** Returns the error in a response: in its body, which some providers send with the status 200, or in a header. */
async function errorIn(
  response: Response,
  init: RequestInit,
): Promise<Pick<ProviderFailure, "error" | "errorDescription">> {
  const body = await response.clone().json().catch(() => null);
  const challenge = response.headers.get("www-authenticate") ?? "";
  const error = body?.error ?? /\berror="([^"]*)"/.exec(challenge)?.[1];
  const description = body?.error_description ?? /\berror_description="([^"]*)"/.exec(challenge)?.[1];
  return {
    ...isErrorCode(error) ? { error } : {},
    ...typeof description === "string" ? { errorDescription: withoutSecrets(description, init) } : {},
  };
}

/** Whether a value is an error code, which is safe to log. */
export function isErrorCode(value: unknown): value is string {
  return typeof value === "string" && ERROR_CODE.test(value);
}

/** Shortens a description, which may quote the request. */
function withoutSecrets(text: string, { body, headers }: RequestInit): string {
  const parameters = [...new URLSearchParams(body instanceof URLSearchParams ? body : "")];
  const secrets = [
    ...parameters.filter(([name]) => !PUBLIC_PARAMETERS.includes(name)).map(([, value]) => value),
    ...credentialsIn(new Headers(headers).get("authorization") ?? ""),
  ].filter(Boolean);
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text).slice(0, DESCRIPTION_MAX);
}

/** Returns the token of a header, or the secret in Basic credentials, encoded and plain (RFC 6749, 2.3.1). */
function credentialsIn(authorization: string): string[] {
  const [scheme, value = ""] = authorization.split(" ");
  if (scheme.toLowerCase() !== "basic") return [value];
  const encoded = atob(value).split(":")[1] ?? "";
  return [value, encoded, new URLSearchParams(`secret=${encoded}`).get("secret")!];
}
