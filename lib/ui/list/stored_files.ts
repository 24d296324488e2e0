/** The ids of what changes on the page of files with each upload. */
export const STORED_FILES = { list: "stored-files", space: "space-used", meter: "space-meter" } as const;
