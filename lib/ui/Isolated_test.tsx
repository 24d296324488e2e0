import { strictEqual } from "node:assert/strict";
import { renderToString } from "preact-render-to-string";
import { IsolatedAddress } from "./Isolated.tsx";

Deno.test("a long address may break before its parts, a short one nowhere", () => {
  const shown = (text: string) => renderToString(<IsolatedAddress>{text}</IsolatedAddress>);
  strictEqual(
    shown("zoe.hohenzollern@subdomain.example.com"),
    '<bdi dir="ltr">zoe<wbr/>.hohenzollern<wbr/>@subdomain<wbr/>.example<wbr/>.com</bdi>',
  );
  strictEqual(shown("ada@example.com"), '<bdi dir="ltr">ada@example.com</bdi>');
});
