import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type Command, parseCommandLine } from "./command_line.ts";

const check: Command = {
  name: "uploads check",
  summary: "checks",
  run: () => Promise.resolve({ text: "", value: null }),
};

Deno.test("a command is found by its words, with --json anywhere", () => {
  deepStrictEqual(parseCommandLine(["uploads", "check"], [check]), { command: check, isJson: false });
  for (const args of [["--json", "uploads", "check"], ["uploads", "check", "--json"]]) {
    deepStrictEqual(parseCommandLine(args, [check]), { command: check, isJson: true });
  }
});

Deno.test("anything else is wrong usage, except --help", () => {
  for (const args of [[], ["uploads"], ["uploads", "check", "x"], ["check"], ["uploads", "check", "--jso"]]) {
    const line = parseCommandLine(args, [check]);
    strictEqual("isWrong" in line && line.isWrong, true, args.join(" "));
  }
  const help = parseCommandLine(["--help"], [check]);
  ok("usage" in help && !help.isWrong);
  match("usage" in help ? help.usage : "", /uploads check {2}checks/);
});
