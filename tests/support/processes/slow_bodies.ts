import type { AppProcess } from "./app_process.ts";
import type { Session } from "./process_session.ts";

/** A request whose body never finishes. */
export interface SlowBody extends Disposable {
  /** Resolves with the start of the response. Pending while the app waits for the rest of the body. */
  response: Promise<string>;
}

export interface SlowRequest {
  /** The method, the path and the query. */
  start: string;
  contentType: string;
  /** The declared size. */
  bodyBytes: number;
  /** The part of the body that is sent. */
  sent: Uint8Array;
  /** The client's address, as a trusted proxy would report it. */
  address?: string;
}

/** Sends the head of a request and part of its body. Disposing disconnects. */
export async function startSlowBody(
  app: AppProcess,
  { cookie }: Pick<Session, "cookie">,
  { start, contentType, bodyBytes, sent, address = "192.0.2.1" }: SlowRequest,
): Promise<SlowBody> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(app.url).port) });
  const head = `${start} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\nContent-Type: ${contentType}\r\n` +
    `X-Forwarded-For: ${address}\r\nContent-Length: ${bodyBytes}\r\n\r\n`;
  const response = readStart(connection);
  await writeAll(connection, new TextEncoder().encode(head));
  await writeAll(connection, sent);
  return { response, [Symbol.dispose]: () => connection.close() };
}

/** Returns the start of a multipart body: the first `sizeBytes` of a file. */
export function startOfForm(boundary: string, sizeBytes: number): Uint8Array {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n` +
    "Content-Type: image/png\r\n\r\n";
  const bytes = new Uint8Array(head.length + sizeBytes);
  new TextEncoder().encodeInto(head, bytes);
  return bytes;
}

/** Ignores errors: an app that has responded may close the connection before it has read everything. */
async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  try {
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
  } catch { /* the response contains the reason */ }
}

async function readStart(connection: Deno.TcpConn): Promise<string> {
  const buffer = new Uint8Array(4096);
  const count = await connection.read(buffer).catch(() => null);
  return new TextDecoder().decode(buffer.subarray(0, count ?? 0));
}
