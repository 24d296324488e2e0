/** Texts of reports. What people have entered is shown without characters that control a terminal. */

/** Returns a text on one line. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, " ");
}

/** Formats a time to the second, in UTC. */
export function time(date: Date | null): string {
  return date === null ? "never" : date.toISOString().slice(0, 19).replace("T", " ") + "Z";
}

/** Aligns the rows of a table. An empty cell shows a dash. */
export function table(head: string[], rows: (string | null)[][]): string {
  const cells = rows.map((row) => row.map((cell) => plain(cell ?? "") || "-"));
  const widths = head.map((title, column) =>
    cells.reduce((width, row) => Math.max(width, row[column].length), title.length)
  );
  return [head, ...cells]
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join("  ").trimEnd()).join("\n");
}

/** Returns a number and its noun, such as `2 passkeys`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Returns a value for programs: times as in the API, in seconds since 1970. */
export function forPrograms(value: unknown): unknown {
  if (value instanceof Date) return Math.floor(value.getTime() / 1_000);
  if (Array.isArray(value)) return value.map(forPrograms);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, forPrograms(each)]));
}
