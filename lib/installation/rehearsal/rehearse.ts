import { sql } from "kysely";
import type { Db } from "../../../db/schema.ts";
import { migrateEach, migrateTo, type MigrationRun } from "../../../db/migrate.ts";
import { messageOf } from "../../log/log.ts";
import type { ObjectStore } from "../../services/object_store.ts";
import type { Services } from "../../services/services.ts";
import { NotSigned, readArchive } from "../backup/archive_reader.ts";
import type { BackupManifest } from "../backup/manifest.ts";
import { fillFromBackup, requireKnownSchema } from "../backup/restore.ts";
import { tryToOpen } from "../secrets.ts";
import { checkFiles } from "./files.ts";
import { aboutAll, type Finding } from "./finding.ts";
import { compareKept, rememberKept } from "./kept.ts";
import { checkWays } from "./ways.ts";

/** What a rehearsal works with: an empty database, which it may ruin, and the settings of the service. */
export interface Stage extends Pick<Services, "db" | "config"> {
  /** What is wrong with the settings, so that the service would not start. */
  configProblem?: string;
  /** What is odd about the settings, such as one that this version ignores. */
  configWarnings?: string[];
  /** Where the files are; null if they are not at hand. */
  files: Pick<ObjectStore, "head"> | null;
}

/** What to rehearse. */
export interface RehearsalOptions {
  /** The path of the backup. */
  file: string;
  /** How many accounts to look at one by one. By default all. */
  sample?: number;
}

/** What an upgrade would do. */
export interface Rehearsal {
  manifest: BackupManifest;
  migrations: MigrationRun[];
  findings: Finding[];
  /** What to know, and harms no one. */
  notes: string[];
  checked: { accounts: number; waysIn: number; files: number | null };
  /** The size of the database, before and after. */
  megabytes: [before: number, after: number];
  seconds: number;
}

/**
 * Restores a backup as a move does, migrates it with this release, and finds out who would not get in anymore.
 *
 * @throws {Error} if the backup is damaged, or comes from a later release.
 */
export async function rehearse(stage: Stage, options: RehearsalOptions): Promise<Rehearsal> {
  const startedAt = performance.now();
  const { db, config } = stage;
  const notes = [...stage.configWarnings ?? []];
  const { manifest, findings: ofSignature } = await readManifest(options.file, config);
  requireKnownSchema(options.file, manifest);
  await migrateTo(db, manifest.schema);
  await fillFromBackup(db, { file: options.file, manifest });
  const sizeBefore = await megabytesOf(db);
  const upgrade = await upgradeOnStage(stage, { manifest, sample: options.sample });
  const megabytes: Rehearsal["megabytes"] = [sizeBefore, await megabytesOf(db)];
  const findings = [...ofSignature, ...upgrade.findings];
  return { ...upgrade, findings, manifest, notes, megabytes, seconds: (performance.now() - startedAt) / 1000 };
}

/**
 * Migrates a restored backup, and finds out what that does to people.
 *
 * @param migrate applies the missing migrations.
 */
export async function upgradeOnStage(
  stage: Stage,
  { manifest, sample }: { manifest: BackupManifest; sample?: number },
  migrate: (db: Db) => Promise<MigrationRun[]> = migrateEach,
): Promise<Pick<Rehearsal, "migrations" | "findings" | "checked">> {
  const { db, configProblem } = stage;
  const findings: Finding[] = [];
  const result: Awaited<ReturnType<typeof upgradeOnStage>> = {
    migrations: [],
    findings,
    checked: { accounts: 0, waysIn: 0, files: null },
  };
  const refuse = (text: string) => findings.push(aboutAll(text, true));
  if (configProblem !== undefined) refuse(`The service would not start. ${configProblem}`);
  const before = await rememberKept(db);
  try {
    result.migrations = await migrate(db);
  } catch (error) {
    refuse(`${messageOf(error)}. The upgrade would stop there and change nothing.`);
    return result;
  }
  findings.push(...await compareKept(db, before));
  await checkEach(stage, { ...result, manifest, sample })
    .catch((error) => refuse(`This version cannot work with the database: ${messageOf(error)}.`));
  return result;
}

/** Tries what was restored and migrated, as far as that can be done. */
async function checkEach(
  { db, config, files }: Stage,
  { manifest, sample, findings, checked }: Pick<Rehearsal, "manifest" | "findings" | "checked"> & { sample?: number },
): Promise<void> {
  const { findings: ofWays, ...counts } = await checkWays(db, { config, manifest }, sample);
  findings.push(...ofWays);
  Object.assign(checked, counts);
  const { unreadable } = await tryToOpen({ db, config });
  if (unreadable.length > 0) findings.push(aboutAll(`APP_SECRET does not open: ${unreadable.join(", ")}.`, true));
  if (files === null) return;
  try {
    const ofFiles = await checkFiles(db, files);
    findings.push(...ofFiles.findings);
    checked.files = ofFiles.count;
  } catch (error) {
    findings.push(aboutAll(`The files could not be checked: ${messageOf(error)}.`, false));
  }
}

/** Reads a whole backup. Who has written it is a finding, and no error: nothing of it stays. */
async function readManifest(
  file: string,
  config: Stage["config"],
): Promise<{ manifest: BackupManifest; findings: Finding[] }> {
  const read = () => Promise.resolve();
  try {
    return { manifest: await readArchive(file, { signer: config, read }), findings: [] };
  } catch (error) {
    if (!(error instanceof NotSigned)) throw error;
    const finding = error.hasOther
      ? "The backup was signed with another APP_SECRET, or has changed since."
      : "The backup is not signed: an older version has written it, or not this service.";
    return {
      manifest: await readArchive(file, { signer: "anyone", read }),
      findings: [aboutAll(finding, error.hasOther)],
    };
  }
}

async function megabytesOf(db: Db): Promise<number> {
  const { rows: [{ bytes }] } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes
  `.execute(db);
  return bytes / 1e6;
}
