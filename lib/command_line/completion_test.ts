import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { z } from "zod";
import { command } from "./command.ts";
import { completionScript } from "./completion.ts";

const declared = { input: z.object({}), run: () => Promise.resolve({ text: "", value: null }) };
const COMMANDS = [
  command({ ...declared, name: "people list", summary: "", options: [{ flags: "--all", description: "" }] }),
  command({
    ...declared,
    name: "people block",
    summary: "",
    options: [{ flags: "--kind <kind>", description: "", choices: ["soft", "hard"] }],
  }),
  command({
    ...declared,
    name: "people greet",
    summary: "",
    arguments: { tone: { description: "", choices: ["warm", "cold"] } },
    options: [
      { flags: "--loud", description: "" },
      { flags: "--in <language>", description: "", proposals: ["en", "de"] },
    ],
  }),
  command({ ...declared, name: "check", summary: "" }),
];

/** Otherwise bash warns of a locale that is set but not installed, as after a login from another machine. */
const LOCALE = { LC_ALL: "C" };

/** Returns what bash proposes after these words. The last one is incomplete. */
async function complete(words: string[]): Promise<string[]> {
  const script = completionScript("bash", { commands: COMMANDS, programs: ["serve"], folder: "/srv/it's here" });
  const typed = ["foyer", ...words].map((word) => `'${word}'`).join(" ");
  const source = `${script}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _foyer; echo "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await new Deno.Command("bash", { args: ["--norc", "-c", source], env: LOCALE }).output();
  strictEqual(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout).trim().split(" ").filter(Boolean);
}

Deno.test("bash completes groups, commands, options and their values", async () => {
  const cases: [words: string[], proposals: string[]][] = [
    [[""], ["serve", "completion", "--json", "--help", "people", "check"]],
    [["p"], ["people"]],
    [["people", ""], ["list", "block", "greet"]],
    [["people", "greet", ""], ["warm", "cold", "--loud", "--in", "--json", "--help"]],
    [["people", "greet", "warm", ""], ["--loud", "--in", "--json", "--help"]],
    [["people", "greet", "warm", "--in", ""], ["en", "de"]],
    [["people", "b"], ["block"]],
    [["people", "list", "--"], ["--all", "--json", "--help"]],
    [["people", "block", "a@b.example", "--k"], ["--kind"]],
    [["people", "block", "a@b.example", "--kind", ""], ["soft", "hard"]],
    [["people", "block", "--kind", "h"], ["hard"]],
    [["completion", ""], ["bash", "zsh"]],
    [["unknown", ""], []],
  ];
  for (const [words, proposals] of cases) deepStrictEqual(await complete(words), proposals, words.join(" "));
});

Deno.test("the function foyer runs the task in the folder of the project, also one with a quote in its name", async () => {
  const folder = await Deno.makeTempDir({ prefix: "foyer-it's here-" });
  const script = completionScript("bash", { commands: COMMANDS, folder });
  const source = `deno() { pwd; echo "$@"; }\n${script}\nfoyer check --json`;
  const { stdout } = await new Deno.Command("bash", { args: ["--norc", "-c", source], env: LOCALE }).output();
  strictEqual(new TextDecoder().decode(stdout), `${folder}\ntask --quiet foyer check --json\n`);
  await Deno.remove(folder);
});
