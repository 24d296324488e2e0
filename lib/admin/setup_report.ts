import type { Services } from "../services/services.ts";

/** What a new installation has, and what it lacks. Each part has texts for both in the catalogs. */
export interface SetupReport {
  /** Whether browsers reach it by https. */
  https: boolean;
  /** Whether emails leave this machine. */
  mail: boolean;
  /** Whether the address of the first admin is confirmed, which shows that emails arrive. */
  address: boolean;
  /** Whether the database is a server that can be backed up on its own. */
  database: boolean;
  /** Whether APP_SECRET comes from the settings, as production requires. */
  secret: boolean;
}

/** Reports what works and what is missing before others can use the installation. */
export async function readSetup({ db, config, mail }: Services): Promise<SetupReport> {
  const { assumed_user_id: assumed } = await db.selectFrom("first_admin").select("assumed_user_id")
    .executeTakeFirstOrThrow();
  return {
    https: config.baseUrl.startsWith("https:"),
    mail: mail.listMails === undefined,
    address: assumed === null,
    database: config.databaseUrl !== undefined,
    secret: config.isProduction,
  };
}
