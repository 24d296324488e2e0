import { strictEqual } from "node:assert/strict";
import { AppError } from "../errors/errors.ts";
import { errorJson } from "./error_body.ts";

Deno.test("only the first fifty types that a request accepts are read, and ten parameters of each", () => {
  const problem = "application/problem+json";
  const cases: [accept: string, isProblem: boolean][] = [
    [`${"text/html,".repeat(49)}${problem}`, true],
    [`${"text/html,".repeat(50)}${problem}`, false],
    [`${problem}${";a".repeat(9)};q=0`, false],
    [`${problem}${";a".repeat(10)};q=0`, true],
  ];
  for (const [accept, isProblem] of cases) {
    const { headers } = errorJson(new AppError("NOT_FOUND", { reason: "page" }), { headers: new Headers({ accept }) });
    strictEqual(headers.get("Content-Type") === problem, isProblem, accept);
  }
});
