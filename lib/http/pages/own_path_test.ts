import { strictEqual } from "node:assert/strict";
import { ownPath } from "./own_path.ts";

Deno.test("ownPath accepts paths of this site and refuses all other addresses", () => {
  const cases: [address: string | null, path: string | null][] = [
    ["/profile", "/profile"],
    ["/users?cursor=x#end", "/users?cursor=x"],
    ["/a/../b", "/b"],
    [null, null],
    ["", null],
    ["profile", null],
    ["//evil.example", null],
    ["/\\evil.example", null],
    ["/\t/evil.example", null],
    ["/.//evil.example", null],
    ["/x/..//evil.example", null],
    ["https://foyer.test/profile", null],
    ["https://evil.example", null],
    ["javascript:alert(1)", null],
    ["///[", null],
  ];
  for (const [address, path] of cases) strictEqual(ownPath(address, "https://foyer.test"), path, String(address));
});
