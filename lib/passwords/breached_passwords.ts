import { createHash } from "node:crypto";
import { SECOND_MS } from "../duration.ts";
import type { BreachedPasswords } from "../services/services.ts";

const TIMEOUT_MS = 2 * SECOND_MS;
const PREFIX_DIGITS = 5;
/** A range has about 2,000 lines of 40 bytes. */
const BODY_MAX_BYTES = 1024 * 1024;

/**
 * Creates a client of the range API of Have I Been Pwned, or of a copy of it. The service learns only the first five
 * hexadecimal digits of the password's SHA-1, which hundreds of other passwords share. Errors do not contain them.
 * Source: https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange.
 *
 * @param url what precedes the digits, with or without a slash at its end.
 */
export function createBreachedPasswords({ url }: { url: string }): BreachedPasswords {
  const ranges = url.replace(/\/*$/, "/");
  return {
    async includes(password) {
      const hash = createHash("sha1").update(password).digest("hex").toUpperCase();
      const range = await fetchRange(ranges + hash.slice(0, PREFIX_DIGITS));
      return countOf(hash.slice(PREFIX_DIGITS), range) > 0;
    },
  };
}

/** Asks for padding: otherwise the length of the encrypted response would reveal the range to an observer. */
async function fetchRange(url: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(url, { headers: { "Add-Padding": "true" }, redirect: "manual", signal });
    if (response.ok) return await readBounded(response);
  } catch {
    // The error of `fetch` contains the URL.
    throw new Error(signal.aborted ? "The service did not respond in time" : "Could not reach the service");
  }
  await response.body?.cancel();
  throw new Error(`The service responded with ${response.status}`);
}

async function readBounded(response: Response): Promise<string> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.length > BODY_MAX_BYTES) throw new Error("The response is too long");
  }
  return text;
}

/** Returns how often the password has appeared. Lines that only pad the response have a count of 0. */
function countOf(suffix: string, range: string): number {
  const line = range.split(/\r?\n/).find((each) => each.toUpperCase().startsWith(`${suffix}:`));
  return Number(line?.slice(suffix.length + 1) ?? 0);
}
