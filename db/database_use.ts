let isMigrationAllowed = true;

/** Whether this process may create or update the database. */
export function mayMigrate(): boolean {
  return isMigrationAllowed;
}

/**
 * From now on, this process only uses a database that is up to date. Commands do: without the settings of the service, they
 * would work on a new, empty one, and report success.
 */
export function forbidMigrations(): void {
  isMigrationAllowed = false;
}
