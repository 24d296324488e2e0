import { ok, strictEqual } from "node:assert/strict";
import { COMMANDS } from "../../lib/command_line/commands.ts";
import { completionScript } from "../../lib/command_line/completion.ts";
import { ensure, ZSH } from "../support/prerequisites.ts";

/** Returns what zsh proposes after these words. It chooses those that fit the last one while someone types. */
async function proposals(words: string[]): Promise<string[]> {
  const script = completionScript("zsh", { commands: COMMANDS, folder: "/srv/foyer" });
  const typed = ["foyer", ...words].map((word) => `'${word}'`).join(" ");
  // zsh sets this option while it completes with the functions of bash.
  const call = `setopt ksharrays; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _foyer`;
  const { stdout, stderr } = await new Deno.Command(await ensure(ZSH), {
    args: ["-f", "-c", `${script}\n${call}; print -r -- "\${COMPREPLY[@]}"`],
    env: { HOME: "/nonexistent", LC_ALL: "C" },
    stdin: "null",
  }).output();
  strictEqual(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout).trim().split(" ");
}

Deno.test("zsh completes commands, options and their values", async () => {
  const cases: [words: string[], among: string][] = [
    [[""], "users"],
    [["users", "s"], "suspend"],
    [["users", "list", "--"], "--status"],
    [["users", "list", "--status", ""], "suspended"],
    [["mails", "preview", ""], "reset"],
  ];
  for (const [words, among] of cases) {
    const found = await proposals(words);
    ok(found.includes(among), `${words.join(" ")}: ${found}`);
  }
});
