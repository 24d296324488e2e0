import { strictEqual } from "node:assert/strict";
import { currentFrameLink } from "./current_link.ts";

Deno.test("a page depends on the frame link to its path, or to a path above it with a slash at the end", () => {
  const cases = [
    ["/", ""],
    ["/users", "/users"],
    ["/users/", "/users"],
    ["/users/1", "/users/"],
    ["/users/1/x", "/users/"],
    ["/usersx", ""],
    ["/login", "/login"],
    ["/login-code", ""],
    ["/docs/x", "/docs/"],
  ];
  for (const [path, link] of cases) strictEqual(currentFrameLink(path), link, path);
});
