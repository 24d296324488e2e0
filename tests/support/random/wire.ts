/** A request as it is sent. Every character is one byte. */
export interface WireRequest {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body: string;
}

/** The response. `status` is 0 if the connection was closed without one. */
export interface WireResponse {
  status: number;
  headers: Headers;
  body: string;
  /** Until the connection was closed. */
  durationMs: number;
}

/** Far more than any response takes, even on a busy machine. */
const GIVE_UP_MS = 30_000;

/** Returns the bytes of a request that asks the server to close the connection. */
export function bytesOf({ method, target, headers, body }: WireRequest): string {
  const lines = [...headers, ["Connection", "close"]];
  if (body !== "") lines.push(["Content-Length", String(body.length)]);
  return `${method} ${target} HTTP/1.1\r\n${lines.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n${body}`;
}

/**
 * Sends any bytes, even those that `fetch` would refuse, and reads until the server closes the connection.
 *
 * @param options.hangUp closes the sending side, because the server would wait for the rest of an incomplete request.
 * @param options.certificate makes the connection use TLS. The certificate must be for `localhost`.
 * @throws when the server does not close the connection.
 */
export async function sendBytes(
  port: number,
  bytes: string,
  { hangUp = false, certificate }: { hangUp?: boolean; certificate?: string } = {},
): Promise<WireResponse> {
  const startedAt = performance.now();
  using connection = certificate === undefined
    ? await Deno.connect({ hostname: "127.0.0.1", port })
    : await Deno.connectTls({ hostname: "localhost", port, caCerts: [certificate], alpnProtocols: ["http/1.1"] });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection.close();
  }, GIVE_UP_MS);
  const writing = writeAll(connection, bytes).then(() => hangUp ? connection.closeWrite().catch(() => {}) : undefined);
  const [text] = await Promise.all([readAll(connection), writing]);
  clearTimeout(timer);
  if (isLate) throw new Error(`No response within ${GIVE_UP_MS} ms to ${JSON.stringify(bytes.slice(0, 2000))}`);
  return { ...parse(text), durationMs: performance.now() - startedAt };
}

/** Ignores errors: a server that refuses the headers may close before it has read the body. Its response counts. */
async function writeAll(connection: Deno.Conn, bytes: string): Promise<void> {
  const content = Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  try {
    for (let sent = 0; sent < content.length;) sent += await connection.write(content.subarray(sent));
  } catch { /* see above */ }
}

async function readAll(connection: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder("latin1");
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  try {
    for (let size; (size = await connection.read(buffer)) !== null;) text += decoder.decode(buffer.subarray(0, size));
  } catch { /* closed before it had read everything: the bytes so far count */ }
  return text;
}

/** Parses the final response. `100 Continue` may come before it. */
function parse(received: string): Omit<WireResponse, "durationMs"> {
  const text = received.replace(/^(HTTP\/1\.1 1[^]*?\r\n\r\n)+/, "");
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd === -1) return { status: 0, headers: new Headers(), body: text };
  const [statusLine, ...lines] = text.slice(0, headEnd).split("\r\n");
  const headers = new Headers();
  for (const line of lines) headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1));
  const body = text.slice(headEnd + 4);
  const status = Number(statusLine.split(" ")[1]);
  return { status, headers, body: headers.get("transfer-encoding") === "chunked" ? unchunked(body) : body };
}

function unchunked(body: string): string {
  let content = "";
  for (let at = 0; at < body.length;) {
    const lineEnd = body.indexOf("\r\n", at);
    const size = parseInt(body.slice(at, lineEnd), 16);
    if (!(size > 0)) break;
    content += body.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
  return content;
}
