import { QUIET_COMMAND } from "../config/command_name.ts";
import type { Command, CommandOption } from "./command.ts";

/** The shells for which there is a completion. */
export const SHELLS: string[] = ["bash", "zsh"];

/** Options that every command has. */
const COMMON = ["--json", "--help"];

/** Returns a script that defines the function `foyer` and completes its commands, options and values. */
export function completionScript(
  shell: string,
  { commands, programs = [], folder }: { commands: Command[]; programs?: string[]; folder: string },
): string {
  return [
    // zsh understands the completion of bash once this has run.
    ...shell === "zsh" ? ["autoload -U +X compinit bashcompinit && compinit && bashcompinit"] : [],
    `command -v foyer >/dev/null || foyer() { (cd ${quoted(folder)} && ${QUIET_COMMAND} "$@"); }`,
    "_foyer() {",
    '  local index word given="" words=""',
    "  for (( index = 1; index < COMP_CWORD; index++ )); do", // zsh has another syntax for parts of arrays
    '    word="${COMP_WORDS[index]}"',
    '    case "$word" in -*) ;; *) given="${given:+$given }$word" ;; esac',
    "  done",
    '  case "$given" in',
    ...wordCases(commands, programs),
    "  esac",
    '  case "$given ${COMP_WORDS[COMP_CWORD-1]}" in',
    ...commands.flatMap(valueCases),
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    "}",
    "complete -F _foyer foyer",
  ].join("\n");
}

function wordCases(commands: Command[], programs: string[]): string[] {
  const next = new Map<string, string[]>([["", [...programs, "completion", ...COMMON]]]);
  for (const { name } of commands) {
    const words = name.split(" ");
    for (const [index, word] of words.entries()) {
      const before = words.slice(0, index).join(" ");
      next.set(before, [...new Set([...next.get(before) ?? [], word])]);
    }
  }
  return [
    ...[...next].map(([given, words]) => wordCase(`"${given}"`, words)),
    wordCase('"completion"', SHELLS),
    ...commands.flatMap(argumentCase),
    ...commands.map(({ name, options = [] }) => wordCase(`"${name}"*`, [...options.map(flagOf), ...COMMON])),
  ];
}

/** Proposes the values of the first argument, if it has only some. */
function argumentCase({ name, options = [], arguments: given = {} }: Command): string[] {
  const [first] = Object.values(given);
  if (first === undefined || typeof first === "string" || "isList" in first) return [];
  return [wordCase(`"${name}"`, [...first.choices, ...options.map(flagOf), ...COMMON])];
}

function valueCases({ name, options = [] }: Command): string[] {
  return options.map((option) => ({ option, values: option.choices ?? option.proposals ?? [] }))
    .filter(({ values }) => values.length > 0)
    .map(({ option, values }) => wordCase(`"${name}"*"${flagOf(option)}"`, [...values]));
}

function wordCase(pattern: string, words: string[]): string {
  return `    ${pattern}) words="${words.join(" ")}" ;;`;
}

function flagOf({ flags }: CommandOption): string {
  return flags.split(" ")[0];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
