import { Buffer } from "node:buffer";

/** The result of a request. */
export type Outcome =
  | { kind: "answered"; status: number; head: string; body: string }
  /** The connection was refused, so nothing was sent. */
  | { kind: "refused" }
  /** The request was sent, but no complete response arrived. */
  | { kind: "lost"; received: string };

/** A client that keeps one connection for as long as the server does, and reports the outcome of each request. */
export interface KeepAliveClient {
  send(method: string, path: string, body?: unknown): Promise<Outcome>;
  close(): void;
}

/** Creates the client. Does not use `fetch`, which repeats requests that failed on a kept connection. */
export function keepAliveClient(url: string): KeepAliveClient {
  const { hostname, port } = new URL(url);
  let kept: Deno.TcpConn | undefined;
  let reading: Promise<Uint8Array | null> | undefined;
  let hasEnded = false;

  /** Keeps reading between requests, so that nothing is sent on a connection that the server has closed. */
  function listen(connection: Deno.TcpConn): void {
    const buffer = new Uint8Array(64 * 1024);
    reading = connection.read(buffer).then((count) => count === null ? null : buffer.subarray(0, count), () => null);
    reading.then((bytes) => hasEnded = bytes === null);
  }

  function close(): void {
    kept?.close();
    kept = undefined;
  }

  async function connection(): Promise<Deno.TcpConn> {
    await new Promise((resolve) => setTimeout(resolve)); // lets a pending end of the connection be noticed
    if (hasEnded) close();
    if (kept !== undefined) return kept;
    kept = await Deno.connect({ hostname, port: Number(port) });
    hasEnded = false;
    listen(kept);
    return kept;
  }

  return {
    close,
    async send(method, path, body) {
      const open = await connection().catch(() => null);
      if (open === null) return { kind: "refused" };
      let received = "";
      try {
        await open.write(requestBytes({ method, path, body }));
        while (!isWhole(received)) {
          const bytes = await reading!;
          if (bytes === null) return { kind: "lost", received };
          received += Buffer.from(bytes).toString("latin1");
          listen(open);
        }
      } catch {
        hasEnded = true;
        return { kind: "lost", received };
      }
      const [head, text] = split(received);
      if (/^connection: close/im.test(head)) close();
      return { kind: "answered", status: Number(head.split(" ")[1]), head, body: text };
    },
  };
}

function requestBytes({ method, path, body }: { method: string; path: string; body: unknown }): Uint8Array {
  const content = new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body));
  const fields = body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${content.length}\r\n`;
  return Buffer.concat([
    new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n`),
    content,
  ]);
}

function isWhole(received: string): boolean {
  if (!received.includes("\r\n\r\n")) return false;
  const [head, body] = split(received);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return length === undefined ? /(^|\r\n)0\r\n\r\n$/.test(body) : body.length === Number(length);
}

function split(received: string): [head: string, body: string] {
  const end = received.indexOf("\r\n\r\n");
  return [received.slice(0, end), received.slice(end + 4)];
}
