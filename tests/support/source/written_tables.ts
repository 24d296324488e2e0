import { TABLE_RULES } from "../../../db/schema.ts";
import { DAY_SECONDS } from "../../../lib/duration.ts";
import type { RowEnd } from "../../../lib/schemas/table.ts";
import { TABLE_OWNERS } from "./table_owners.ts";
import { tableOf } from "./written_settings.ts";

/** Returns docs/data.md with what the rooms declare about the rows of their tables. */
export function withTableRules(document: string): string {
  const rows = Object.entries(TABLE_OWNERS).sort().flatMap(([room, tables]) =>
    tables.map((table) => {
      const { restored, ends = [], exported } = TABLE_RULES[table];
      const restoredIf = { always: "yes", move: "with `--move`", never: "no" }[restored];
      return [
        `\`${table}\``,
        `\`${room}\``,
        restoredIf,
        ends.map(endOf).join("; "),
        exported ? `\`${exported.as}\`` : "",
      ];
    })
  );
  return document.replace(/(\n\| Table +\| Room[^\n]*\|\n)[^]*?\n(?=\n)/, (_match, header: string) => {
    return "\n" + tableOf([header.split("|").slice(1, -1).map((cell) => cell.trim()), ...rows]);
  });
}

function endOf({ column, keptSeconds = 0, whileNull }: RowEnd<Record<string, unknown>>): string {
  const days = typeof keptSeconds === "number" ? keptSeconds / DAY_SECONDS : 0;
  const after = keptSeconds === "eventsKeptSeconds"
    ? "`EVENTS_KEPT_DAYS` after "
    : days === 0
    ? ""
    : days < 1
    ? "an hour after "
    : days === 1
    ? "a day after "
    : `${days} days after `;
  return `${after}\`${column}\`${whileNull ? ` without \`${whileNull}\`` : ""}`;
}
