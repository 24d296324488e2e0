/** The files that an export writes besides the backup itself, until it is finished. */
export function unfinishedFiles(path: string): { archive: string; rows: string } {
  return { archive: `${path}.partial`, rows: `${path}.rows` };
}
