import { type WireRequest } from "../random/wire.ts";

type Headers = WireRequest["headers"];

/** Requests: what a browser or a program sends, and whether it shows people a page. */
export const KINDS: [name: string, isPage: boolean, headers: Headers][] = [
  ["a link", true, [["Sec-Fetch-Mode", "navigate"], ["Accept", "text/html,application/xhtml+xml"]]],
  ["a link, in an old browser", true, [["Accept", "application/xml,text/html;q=0.9,*/*"]]],
  ["a program that does not say", true, []],
  ["fetch()", false, [["Sec-Fetch-Mode", "cors"], ["Accept", "*/*"]]],
  ["fetch() that accepts pages", false, [["Sec-Fetch-Mode", "same-origin"], ["Accept", "text/html"]]],
  ["fetch(), in an old browser", false, [["Accept", "*/*"]]],
  ["an image", false, [["Sec-Fetch-Mode", "no-cors"], ["Accept", "image/avif,image/*"]]],
  ["a form as fetch() sends it", false, [["Sec-Fetch-Mode", "cors"], ["Accept", "application/json"]]],
];

/** Paths that look as if they were below /open/, but are not. */
export const NOT_OPEN = [
  "/open/../secret",
  "/open/%2e%2e/secret",
  "/open/..%2fsecret",
  "/open/.%2E/secret",
  "/open/x/../../secret",
  "/opened/",
  "/open/..;/secret",
  "/open/x/..;a=1/secret",
  "/open/..\\secret",
  "/open/..%5Csecret",
  "/open/%252e%252e/secret",
  "/open/..%252fsecret",
  "/secret?/open/",
  "/secret#/open/",
];

/** Headers with which a client could tell a product another path, host or client address. */
export const FORGED_PLACES: Headers = [
  "X-Original-URL",
  "X-Rewrite-URL",
  "X-Forwarded-Host",
  "X-Forwarded-Port",
  "X-Forwarded-Prefix",
  "X-Forwarded-Proto",
  "X-Real-IP",
  "Forwarded",
  "Proxy",
].map((name) => [name, "forged"]);

/** Values of `Upgrade` that must not reach a product, because what follows passes no check. */
export const OTHER_UPGRADES = ["h2c", "H2C", "websocket, h2c", "h2c, websocket", "websocket/13", "TLS/1.2", "foo"];

/**
 * Asks for a tunnel through a proxy, by default for a WebSocket, and sends "hi". Returns the status, and what came back
 * after the tunnel was opened.
 */
export async function openTunnel(
  port: number,
  headers: Headers,
  { certificate, upgrade = ["websocket"] }: { certificate?: string; upgrade?: string[] } = {},
): Promise<{ status: number; echo: string }> {
  using connection = certificate === undefined
    ? await Deno.connect({ hostname: "127.0.0.1", port })
    : await Deno.connectTls({ hostname: "localhost", port, caCerts: [certificate], alpnProtocols: ["http/1.1"] });
  const wanted = upgrade.map((protocol): [string, string] => ["Upgrade", protocol]);
  const lines = [...wanted, ...HANDSHAKE, ...headers].map((header) => `${header.join(": ")}\r\n`);
  await connection.write(new TextEncoder().encode(`GET /socket HTTP/1.1\r\n${lines.join("")}\r\n`));
  const status = Number((await readUntil(connection, "\r\n\r\n")).split(" ")[1]);
  if (status !== 101) return { status, echo: "" };
  await connection.write(new TextEncoder().encode("hi"));
  return { status, echo: await readUntil(connection, "hi") };
}

/** Of a WebSocket and of HTTP/2. Source: RFC 6455, 4.1; RFC 7540, 3.2. */
const HANDSHAKE: Headers = [
  ["Connection", "Upgrade, HTTP2-Settings"],
  ["HTTP2-Settings", "AAMAAABkAAQAAP__"],
  ["Sec-WebSocket-Version", "13"],
  ["Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="],
];

/** Reads up to and including a text, or to the end. */
async function readUntil(connection: Deno.Conn, end: string): Promise<string> {
  const byte = new Uint8Array(1);
  let text = "";
  while (!text.endsWith(end) && await connection.read(byte) !== null) text += String.fromCharCode(byte[0]);
  return text;
}
