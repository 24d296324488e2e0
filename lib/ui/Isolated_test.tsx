import { strictEqual } from "node:assert/strict";
import { renderToString } from "preact-render-to-string";
import { Isolated } from "./Isolated.tsx";

Deno.test("a long address may break before its parts, and nothing else gets such places", () => {
  const shown = (text: string) => renderToString(<Isolated isLtr>{text}</Isolated>);
  strictEqual(
    shown("zoe.hohenzollern@subdomain.example.com"),
    '<bdi dir="ltr">zoe<wbr/>.hohenzollern<wbr/>@subdomain<wbr/>.example<wbr/>.com</bdi>',
  );
  strictEqual(shown("ada@example.com"), '<bdi dir="ltr">ada@example.com</bdi>');
  strictEqual(shown("2001:db8:85a3:0:0:8a2e:370:7334"), '<bdi dir="ltr">2001:db8:85a3:0:0:8a2e:370:7334</bdi>');
});
