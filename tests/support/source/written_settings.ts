import { SECTIONS, VARIABLES } from "../../../lib/config/environment.ts";
import { defaultOf } from "../../../lib/config/examples.ts";
import type { Setting } from "../../../lib/config/variable_types.ts";

/** Returns docs/configuration.md with the tables of the settings, each the first one of its section. */
export function withTables(document: string): string {
  return Object.entries(SECTIONS).reduce((text, [title, settings]) => {
    const rows = Object.entries(settings).map(([name, setting]) => cellsOf(name, setting));
    const table = new RegExp(`(\n## ${title}\n(?:(?!\n##)[^])*?\n)(\\| Variable [^]*?\n)(?=\n|$)`);
    return text.replace(table, (_match, before: string, old: string) => {
      const header = old.split("\n")[0].split("|").slice(1, -1).map((cell) => cell.trim());
      return before + tableOf([header, ...rows]);
    });
  }, document);
}

function cellsOf(name: string, { says, unset, isRequired }: Setting): string[] {
  return [`\`${name}\`${isRequired ? " \\*" : ""}`, says, unset ?? shown(defaultOf(name))];
}

function shown(value: unknown): string {
  if (value === undefined) return "unset";
  if (Array.isArray(value)) return "none";
  return typeof value === "number" ? String(value) : `\`${value}\``;
}

/** Writes a table as `deno fmt` does. */
export function tableOf([header, ...rows]: string[][]): string {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((cells) => cells[column].length)));
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |\n`;
  return [header, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("");
}

/** Returns deno.json with the variables that the service may read. */
export function withPermissions(json: string): string {
  const names = [
    ...VARIABLES.filter((name) => !name.startsWith("IDP_")),
    "IDP_*",
    "PG*",
    "TMPDIR",
    "USER",
  ];
  const list = names.map((name) => `          ${JSON.stringify(name)}`).join(",\n");
  return json.replace(/("ignore": true,\s+"allow": \[\n)[^]*?(\n\s+\])/, `$1${list}$2`);
}
