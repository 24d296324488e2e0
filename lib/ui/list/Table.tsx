import type { ComponentChildren } from "preact";

/** A column of a table. */
export interface Column<Entry> {
  /** What all of its cells are about; "" above buttons. */
  head: string;
  /**
   * What its cells are: the title of the entry; what is at the end of its last line where the table is narrow; or what
   * is not there on a phone.
   */
  is?: "title" | "end" | "extra";
  /** What is before its cells where the table is too narrow for heads. */
  label?: string;
  cell(entry: Entry): ComponentChildren;
}

interface TableProps<Entry> {
  /** What the table lists. */
  label: string;
  columns: Column<Entry>[];
  entries: Entry[];
}

/** A table with a row for each entry. Where it is narrow, an entry has two or three lines. */
export function Table<Entry extends { id: string }>({ label, columns, entries }: TableProps<Entry>) {
  return (
    <table class="rows table" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ head }) => head === "" ? <td key={head} /> : <th key={head} scope="col">{head}</th>)}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            {columns.map(({ head, is, label, cell }) =>
              is === "title"
                ? <th key={head} class="title" scope="row">{cell(entry)}</th>
                : <td key={head} data-is={is} data-label={label}>{cell(entry)}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
