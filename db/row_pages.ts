/** Rows of a page. Few, because the embedded engine runs one query at a time, and others wait for it. */
export const PAGE_ROWS = 100;

/**
 * Reads all rows of a list in pages, in memory that does not grow with their number. Each page is a query of its own,
 * so no transaction stays open: rows that are added or deleted meanwhile may be included or not, and no other row is
 * missed or repeated. Between pages, everything runs that waits for the event loop, which the embedded engine does not
 * leave.
 *
 * @param key the unique column by which the list is ordered.
 * @param read returns up to {@linkcode PAGE_ROWS} rows after a key, in order. The first key is empty.
 */
export async function* pagesOf<Key extends string, Row extends Record<Key, string | number>>(
  key: Key,
  read: (after: string) => Promise<Row[]>,
): AsyncGenerator<Row[], void> {
  let after = "";
  while (true) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_ROWS) return;
    after = String(rows.at(-1)![key]);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
