import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { z } from "zod";
import { type Command, command } from "./command.ts";
import { COMMANDS, GROUPS } from "./commands.ts";
import { parseCommandLine } from "./parse.ts";

const done = () => Promise.resolve({ text: "", value: null });
const block = command({
  name: "people block",
  summary: "Block someone",
  details: "They can come back.",
  arguments: { who: "an address" },
  options: [
    { flags: "--reason <text>", description: "why", isRequired: true },
    { flags: "--kind <kind>", description: "how", choices: ["soft", "hard"] },
    { flags: "--no-wait", description: "at once" },
  ],
  input: z.object({ who: z.email(), reason: z.string() }),
  run: done,
});
const greet = command({
  name: "people greet",
  summary: "Greet someone",
  arguments: { tone: { description: "how", choices: ["warm", "cold"] } },
  input: z.object({ tone: z.string() }),
  run: done,
});
const forget = command({
  name: "people forget",
  summary: "Forget people",
  arguments: { who: { description: "addresses", isList: true } },
  input: z.object({ who: z.array(z.string()) }),
  run: done,
});
const check = command({ name: "check", summary: "Check everything", input: z.object({}), run: done });
const SET = {
  commands: [block, greet, forget, check],
  groups: { people: "Look after people" },
  programs: { serve: "Serve everyone" },
  folder: "/srv/foyer",
  version: "1.2.3 (commit abc)",
};

const parse = (args: string[]) => parseCommandLine(args, SET);
const textOf = (args: string[]) => {
  const line = parse(args);
  ok("text" in line, args.join(" "));
  return line;
};

Deno.test("a command gets its arguments and options by name, with --json anywhere", () => {
  const args = ["people", "block", "a@b.example", "--reason", "spam and more", "--kind=hard"];
  const input = { who: "a@b.example", reason: "spam and more", kind: "hard", wait: true };
  deepStrictEqual(parse(args), { command: block, input, isJson: false });
  for (const position of [0, 1, 2, 3, 6]) {
    deepStrictEqual(parse(args.toSpliced(position, 0, "--json")), { command: block, input, isJson: true });
  }
  deepStrictEqual(parse(["check"]), { command: check, input: {}, isJson: false });
});

Deno.test("the last argument may have several values", () => {
  const parsed = parse(["people", "forget", "a@b.example", "c@d.example"]);
  deepStrictEqual(parsed, { command: forget, input: { who: ["a@b.example", "c@d.example"] }, isJson: false });
  match(textOf(["people", "forget"]).text, /missing required argument 'who'/);
});

Deno.test("anything that is missing, unknown or invalid is wrong usage, and the text says what", () => {
  const cases: [args: string, text: RegExp][] = [
    ["", /^Usage: deno task foyer/],
    ["people", /^Usage: deno task foyer people[\s\S]*block/],
    ["chekc", /^error: unknown command 'chekc'\n\(Did you mean check\?\)/],
    ["people blcok", /unknown command 'blcok'/],
    ["check more", /too many arguments/],
    ["check --jsom", /unknown option '--jsom'/],
    ["people block --reason x", /missing required argument 'who'/],
    ["people block a@b.example", /required option '--reason <text>' not specified/],
    ["people block a@b.example --reason", /argument missing/],
    ["people block a@b.example --reason x --kind odd", /Allowed choices are soft, hard/],
    ["people block ann --reason x", /^error: Validation failed\n {2}who: /],
    ["people greet odd", /^error: .*'odd' is invalid for argument 'tone'\. Allowed choices are warm, cold/],
    ["serve --json", /^error: serve takes no options/],
    ["completion fish", /the shell must be bash or zsh/],
  ];
  for (const [args, text] of cases) {
    const line = textOf(args.split(" ").filter(Boolean));
    strictEqual(line.isWrong, true, args);
    match(line.text, text);
    doesNotMatch(line.text, /\n {4}at /, "a stack");
  }
});

Deno.test("help is not wrong usage, and explains arguments and options", () => {
  strictEqual(textOf(["--help"]).isWrong, false);
  deepStrictEqual(textOf(["--version"]), { text: "1.2.3 (commit abc)", isWrong: false });
  match(
    textOf(["--help"]).text,
    /serve +Serve everyone[\s\S]*people +Look after people[\s\S]*Exit codes: 0, 1 \(failed\), 2 \(wrong usage\)/,
  );
  const { text, isWrong } = textOf(["people", "block", "--help"]);
  strictEqual(isWrong, false);
  match(text, /Block someone\.\n\nThey can come back\./);
  match(text, /who +an address/);
  match(text, /--reason <text> .*\(required\)/);
  match(text, /--kind <kind> +how \(choices: "soft", "hard"\)/);
  match(text, /--json +print the result for programs/);
});

Deno.test("every command has a group with a summary, and help of its own", () => {
  const groups = new Set(COMMANDS.filter(({ name }) => name.includes(" ")).map(({ name }) => name.split(" ")[0]));
  deepStrictEqual([...groups].sort(), Object.keys(GROUPS).sort());
  for (const { name, summary } of COMMANDS as Command[]) {
    const line = parseCommandLine([...name.split(" "), "--help"], { commands: COMMANDS, groups: GROUPS, folder: "/" });
    ok("text" in line && line.text.includes(`${summary}.`) && !line.isWrong, name);
  }
});
