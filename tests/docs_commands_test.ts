import { deepStrictEqual, ok } from "node:assert/strict";
import { COMMANDS, GROUPS, PROGRAMS } from "../lib/command_line/commands.ts";
import { parseCommandLine } from "../lib/command_line/parse.ts";
import { documentsIn, readDocument as read } from "./support/source/documents.ts";

const SET = { commands: COMMANDS, groups: GROUPS, folder: "/" };
const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...await documentsIn("docs")];
/** Inline code and lines of blocks. */
const CODE = /`{3}[\s\S]*?`{3}|`[^`]+`/g;
/** A command up to the end of the line, a closing parenthesis, a comment or what the shell does with its output. */
const PREFIXED = /(?:^|[\s(])foyer +((?:"[^"]*"|\$\([^)]*\)|[^\s"#|<>()`]+|[ ]+)+)/gm;
/** What the documentation writes in place of a value. */
const VALUES: Record<string, string> = { ID: crypto.randomUUID(), KIND: "reset", WHO: "ann@example.org" };

interface Mention {
  words: string[];
  /** Whether it may be a name without arguments, as in a sentence. */
  isInline: boolean;
}

/** Returns the commands of `foyer` that a document names, and those that it prints to be run. */
function mentionsIn(text: string): Mention[] {
  return [...text.matchAll(CODE)].flatMap(([code]) => {
    const isInline = !code.startsWith("```");
    const inside = code.replaceAll("`", "");
    if (isInline && /^\w+ [a-z-]+/.test(inside) && inside.split(" ")[0] in GROUPS) {
      return [{ words: wordsOf(inside), isInline }];
    }
    const lines = [...inside.matchAll(PREFIXED)].filter(([, line]) => isCommand(line));
    return lines.map(([, line]) => ({ words: wordsOf(line), isInline }));
  });
}

/**
 * Whether the words are those of the command line: `foyer` is also the name of a user, a database, a service and an
 * image.
 */
function isCommand(line: string): boolean {
  const [first] = wordsOf(line);
  return /^[a-z]+$/.test(first) ? !["deno", "foyer"].includes(first) : first === "--help";
}

function wordsOf(line: string): string[] {
  const words = line.match(/"[^"]*"|(?:\$\([^)]*\)|[^\s"])+/g) ?? [];
  return words.map((word) => word.replaceAll('"', "")).map((word) => VALUES[word] ?? word);
}

function isRight({ words, isInline }: Mention): boolean {
  const name = words.join(" ");
  if (name in PROGRAMS) return true;
  if (isInline && (name in GROUPS || COMMANDS.some((each) => each.name === name))) return true;
  const line = parseCommandLine(words, SET);
  return "command" in line || !line.isWrong;
}

Deno.test("every command of foyer that the documentation names can be run as it is printed", async () => {
  const wrong: string[] = [];
  let found = 0;
  for (const name of DOCUMENTS) {
    const mentions = mentionsIn(await read(name));
    found += mentions.length;
    wrong.push(...mentions.filter((each) => !isRight(each)).map(({ words }) => `${name}: ${words.join(" ")}`));
  }
  deepStrictEqual(wrong, []);
  ok(found > 40, `only ${found} were found`);
});

Deno.test("a command that cannot be run as it is printed is found", () => {
  const text = "`foyer users show`, `foyer users shw ann@example.org`, `users end`, `createdb --owner=foyer foyer`\n" +
    "```sh\ncp docs/foyer.service /etc\ndeno task foyer users show\nnpx -y deno task foyer export $(date +%s).tar --all\n" +
    'deno task foyer users create a@b.example "Ann" # comment\n```\n`mails retry ID`';
  deepStrictEqual(mentionsIn(text).filter((each) => !isRight(each)).map(({ words }) => words.join(" ")), [
    "users shw ann@example.org",
    "users end",
    "users show",
    "export $(date +%s).tar --all",
  ]);
});
