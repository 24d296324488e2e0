/** Lines from one number to another that are refused for the same reason. */
export interface RefusedRange {
  from: number;
  to: number;
  reason: string;
}

/**
 * Collects the numbers of lines that are refused. A file of another kind has millions of them, for one reason: they take no
 * more memory than a few.
 */
export function createRefusedLines() {
  const ranges: RefusedRange[] = [];
  const last = new Map<string, RefusedRange>();
  let lines = 0;
  return {
    /** Adds a line, in ascending order. */
    add(line: number, reason: string): void {
      lines++;
      const range = last.get(reason);
      if (range?.to === line - 1) return void (range.to = line);
      const added = { from: line, to: line, reason };
      ranges.push(added);
      last.set(reason, added);
    },
    count: () => lines,
    ranges: () => ranges,
    /** One line for each range. */
    text: () => ranges.map(({ from, to, reason }) => `  ${from === to ? from : `${from}-${to}`}  ${reason}`).join("\n"),
  };
}
