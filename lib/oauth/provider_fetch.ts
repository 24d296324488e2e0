import { innermostMessageOf, OutageError } from "../log/log.ts";
import { isConfidential } from "../network/loopback.ts";

/** Far more than any response of a provider needs. */
const BODY_MAX_BYTES = 1024 * 1024;

export type ProviderFetch = (address: string, init: RequestInit) => Promise<Response>;

/**
 * Creates the `fetch` for requests to providers. It refuses addresses without https, does not follow redirects, and
 * reads the whole body, so that the signal of the request limits the time for that too.
 */
export function providerFetch(options: { isProduction: boolean }): ProviderFetch {
  return async (address, init) => {
    if (!isConfidential(address, options)) {
      throw new Error(`Cannot send a request to the provider without https: ${address}`);
    }
    const response = await fetch(address, { ...init, redirect: "manual" }).catch((error) => {
      // What `fetch` itself says is only that it has failed.
      throw new OutageError(innermostMessageOf(error), { cause: error });
    });
    const { status, headers } = response;
    return new Response(await readBounded(response), { status, headers });
  };
}

async function readBounded(response: Response): Promise<Blob | null> {
  if (response.body === null) return null;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_MAX_BYTES) {
      throw new Error(`The provider's response is too long: over ${BODY_MAX_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return new Blob(chunks);
}
