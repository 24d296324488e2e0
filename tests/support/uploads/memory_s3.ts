/**
 * A store that keeps objects in memory and speaks enough of S3 for a test that counts requests. Checks no signatures.
 */
export interface MemoryS3 extends AsyncDisposable {
  /** The environment variables that make the app use it. */
  env: Record<string, string>;
  /** The method and the folder of each request so far, such as `PUT images/avatar`. */
  requests: string[];
}

interface StoredBytes {
  bytes: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
  storedAt: Date;
}

/** Starts a store. Everyone can read the open folders, in each bucket. */
export function startMemoryS3(folders = { open: ["images/", "uploads/"] }): MemoryS3 {
  const requests: string[] = [];
  const stored = new Map<string, StoredBytes>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (req) => {
    const { pathname, searchParams } = new URL(req.url);
    const [bucket, ...path] = pathname.slice(1).split("/");
    requests.push(`${req.method} ${path.slice(0, -1).join("/")}`);
    const isSigned = req.headers.has("authorization") || searchParams.has("X-Amz-Signature");
    if (!isSigned && !folders.open.some((folder) => path.join("/").startsWith(folder))) {
      return new Response(null, { status: 403 });
    }
    if (req.method === "PUT") stored.set(pathname, await read(req));
    if (req.method === "DELETE") stored.delete(pathname);
    if (path.length === 0 && req.method === "GET") return list(stored, bucket, searchParams);
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

/** Lists the first page. No test stores so many objects that there is another. */
function list(stored: Map<string, StoredBytes>, bucket: string, query: URLSearchParams): Response {
  const keys = [...stored.keys()].filter((path) => path.startsWith(`/${bucket}/`))
    .map((path) => path.slice(bucket.length + 2))
    .filter((key) => key.startsWith(query.get("prefix") ?? "") && key > (query.get("start-after") ?? "")).sort();
  const entries = keys.map((key) => {
    const { bytes, storedAt } = stored.get(`/${bucket}/${key}`)!;
    const time = storedAt.toISOString();
    return `<Contents><Key>${key}</Key><Size>${bytes.length}</Size><LastModified>${time}</LastModified></Contents>`;
  });
  return new Response(`<ListBucketResult><IsTruncated>false</IsTruncated>${entries.join("")}</ListBucketResult>`);
}

async function read(req: Request): Promise<StoredBytes> {
  const headers = { "Content-Type": req.headers.get("content-type") ?? "", ETag: `"${crypto.randomUUID()}"` };
  return { bytes: await req.bytes(), headers, storedAt: new Date() };
}

function respond(method: string, object: StoredBytes | undefined): Response {
  if (method === "DELETE") return new Response(null, { status: 204 });
  if (object === undefined) return new Response(null, { status: 404 });
  const headers = { ...object.headers, "Content-Length": String(object.bytes.length) };
  if (method === "PUT") return new Response(null, { headers: object.headers });
  return new Response(method === "HEAD" ? null : object.bytes, { headers });
}
