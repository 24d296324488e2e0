/** A store that keeps objects in memory and speaks enough of S3 for a test that counts requests. Checks no signatures. */
export interface MemoryS3 extends AsyncDisposable {
  /** The environment variables that make the app use it. */
  env: Record<string, string>;
  /** The method and the folder of each request so far, such as `PUT images/avatar`. */
  requests: string[];
}

interface StoredBytes {
  bytes: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** Starts a store with one bucket. */
export function startMemoryS3(): MemoryS3 {
  const requests: string[] = [];
  const stored = new Map<string, StoredBytes>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (req) => {
    const { pathname } = new URL(req.url);
    const folders = pathname.split("/").slice(2, -1);
    requests.push(`${req.method} ${folders.join("/")}`);
    if (req.method === "PUT") stored.set(pathname, await read(req));
    if (req.method === "DELETE") stored.delete(pathname);
    // The bucket itself, whose objects no test lists.
    if (folders.length === 0 && req.method === "GET") return new Response("<ListBucketResult/>");
    return respond(req.method, stored.get(pathname));
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  return {
    env: {
      S3_ENDPOINT: url,
      S3_REGION: "eu-test-1",
      S3_BUCKET: "uploads",
      S3_ACCESS_KEY_ID: "test",
      S3_SECRET_ACCESS_KEY: "test",
      S3_PUBLIC_URL: `${url}/uploads`,
    },
    requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function read(req: Request): Promise<StoredBytes> {
  const headers = { "Content-Type": req.headers.get("content-type") ?? "", ETag: `"${crypto.randomUUID()}"` };
  return { bytes: await req.bytes(), headers };
}

function respond(method: string, object: StoredBytes | undefined): Response {
  if (method === "DELETE") return new Response(null, { status: 204 });
  if (object === undefined) return new Response(null, { status: 404 });
  const headers = { ...object.headers, "Content-Length": String(object.bytes.length) };
  if (method === "PUT") return new Response(null, { headers: object.headers });
  return new Response(method === "HEAD" ? null : object.bytes, { headers });
}
