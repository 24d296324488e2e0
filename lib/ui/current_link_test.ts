import { strictEqual } from "node:assert/strict";
import { currentFrameLink } from "./current_link.ts";

Deno.test("pages with the same id of the frame have the same marks of links", () => {
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
