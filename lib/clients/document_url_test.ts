import { strictEqual } from "node:assert/strict";
import { documentUrl } from "./document_url.ts";

const SETTINGS = {
  baseUrl: "https://login.product.example",
  apiOrigins: ["https://api.example"],
  returnOrigins: ["https://return.product.example"],
  s3: { publicUrl: "https://files.example/bucket" },
  cookieDomain: ".Product.example",
  clientDocuments: "all",
  clientDocumentsAllowPrivate: false,
} as unknown as Parameters<typeof documentUrl>[1];

function accepts(id: string, changes: Partial<typeof SETTINGS> = {}): boolean {
  return documentUrl(id, { ...SETTINGS, ...changes }) !== null;
}

Deno.test("the address of a document is https, with a path", () => {
  const good = [
    "https://agent.example/client.json",
    "https://agent.example:443/a/b?c=d",
    "https://xn--bcher-kva.example/~me/.well-known/client",
    "https://agent.example/%C3%BC",
    `https://agent.example/${"a".repeat(490)}`,
  ];
  for (const id of good) strictEqual(accepts(id), true, id);
  const bad = [
    "https://agent.example",
    "https://agent.example/",
    "https://agent.example/?a",
    "https://agent.example/a#b",
    "https://agent.example/a#",
    "https://me@agent.example/a",
    "https://me:secret@agent.example/a",
    "https://agent.example:8443/a",
    "https://agent.example/a/../b",
    "https://agent.example/./b",
    "https://agent.example/a/%2E%2e",
    "https://agent.example/.",
    "https://agent.example\\@evil.example/a",
    "https://agent.example/a b",
    "https://agent.example/ü",
    "https:agent.example/a",
    "https:///a",
    "https://[/a",
    "HTTPS://agent.example/a",
    "http://agent.example/a",
    "http://127.0.0.1/a",
    "ftp://agent.example/a",
    "javascript://agent.example/a",
    `https://agent.example/${"a".repeat(491)}`,
  ];
  for (const id of bad) strictEqual(accepts(id), false, id);
});

Deno.test("hosts where people can upload documents are refused", () => {
  const hosts = ["login.product.example", "product.example", "any.product.example", "api.example", "files.example"];
  for (const host of [...hosts, ...hosts.map((host) => `${host}.`), "LOGIN.product.example"]) {
    strictEqual(accepts(`https://${host}/client.json`), false, host);
  }
  strictEqual(accepts("https://otherproduct.example/client.json"), true);
  strictEqual(accepts("https://return.example/client.json", { returnOrigins: ["https://return.example"] }), false);
});

Deno.test("only the hosts in CLIENT_METADATA_DOCUMENTS are accepted, if it names some", () => {
  const only = { clientDocuments: ["agent.example"] };
  strictEqual(accepts("https://agent.example/a", only), true);
  strictEqual(accepts("https://AGENT.example/a", only), true);
  for (const host of ["other.example", "sub.agent.example", "agent.example."]) {
    strictEqual(accepts(`https://${host}/a`, only), false, host);
  }
  strictEqual(accepts("https://agent.example/a", { clientDocuments: null }), false);
});

Deno.test("for development, any port is accepted, and http on this machine", () => {
  const inside = { clientDocumentsAllowPrivate: true };
  for (
    const id of ["http://127.0.0.1:5000/a", "http://localhost/a", "http://[::1]:80/a", "https://agent.example:1/a"]
  ) {
    strictEqual(accepts(id, inside), true, id);
  }
  for (const id of ["http://agent.example/a", "http://127.0.0.1.evil.example/a"]) {
    strictEqual(accepts(id, inside), false, id);
  }
});
