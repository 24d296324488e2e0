import { strictEqual } from "node:assert/strict";
import { attachment } from "./private_file.ts";

Deno.test("any name of a file survives in Content-Disposition", () => {
  const cases = [
    ["notes.txt", "notes.txt"],
    ['a "b"; c=d.txt', "a%20%22b%22%3B%20c%3Dd.txt"],
    ["it's (1)*.txt", "it%27s%20%281%29%2A.txt"],
    ["été 😀.pdf", "%C3%A9t%C3%A9%20%F0%9F%98%80.pdf"],
  ];
  for (const [name, encoded] of cases) strictEqual(attachment(name), `attachment; filename*=UTF-8''${encoded}`);
});
