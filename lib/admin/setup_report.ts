import { DEFAULT_NAME } from "../brand/brand.ts";
import { COMMAND, IS_PACKAGE } from "../config/command_name.ts";
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

/** What a new installation has on the machine of a developer, and what is left to do. */
export interface FirstSteps {
  /** Whether the database is in DATA_DIR, where one process can use it. */
  isEmbedded: boolean;
  /** Whether emails stay on this machine, where the outbox shows them. */
  keepsMails: boolean;
  /** DATA_DIR. */
  folder: string;
  /** Whether an account has ever been an admin. */
  hasAdmin: boolean;
  /**
   * The command that prints the link for the first admin. Pages must not have the link: whoever can read them, such as
   * another user of this machine, would become the admin.
   */
  setupCommand: string;
  /** Whether the operator has set a name or a color. */
  hasBrand: boolean;
  /** Whether there is an account. */
  hasPeople: boolean;
  /** The command that fills an empty database; null in the package, which does not have it. */
  seedCommand: string | null;
}

/** Finds out what is left to do in development. */
export async function readFirstSteps(
  { db, config, mail }: Pick<Services, "config" | "db" | "mail">,
): Promise<FirstSteps> {
  const { made_at: adminMadeAt } = await db.selectFrom("first_admin").select("made_at").executeTakeFirstOrThrow();
  const someone = await db.selectFrom("users").select("id").limit(1).executeTakeFirst();
  const { name, color } = config.brand.settings;
  return {
    isEmbedded: config.databaseUrl === undefined,
    keepsMails: mail.listMails !== undefined,
    folder: config.dataDir,
    hasAdmin: adminMadeAt !== null,
    setupCommand: `${COMMAND} setup-link`,
    hasBrand: name !== DEFAULT_NAME || color !== undefined,
    hasPeople: someone !== undefined,
    seedCommand: IS_PACKAGE ? null : "deno task seed",
  };
}
