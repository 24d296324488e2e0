let isMigrationAllowed = true;
let mayWait: WhileInUse = () => Promise.resolve(false);

/** Whether to try again to open the embedded database, which another process has open. It pauses before it answers. */
export type WhileInUse = (holder: string) => Promise<boolean>;

/** Whether this process may create or update the database. */
export function mayMigrate(): boolean {
  return isMigrationAllowed;
}

/**
 * From now on, this process only uses a database that is up to date. Commands do: without the settings of the service,
 * they would work on a new, empty one, and report success.
 */
export function forbidMigrations(): void {
  isMigrationAllowed = false;
}

/** From now on, this process waits for an embedded database that another one has open. Commands take turns. */
export function waitWhileInUse(whileInUse: WhileInUse): void {
  mayWait = whileInUse;
}

/** Waits for the process that has the embedded database open. Returns false at once unless this process waits. */
export async function isWorthWaitingFor(holder: string): Promise<boolean> {
  return await mayWait(holder);
}
