import type { ObjectStore } from "../../services/object_store.ts";
import type { Services } from "../../services/services.ts";
import { VERSION } from "../../version.ts";
import { aboutAll, type Finding } from "./finding.ts";
import { prepareForOlder, type Visitor } from "./older.ts";
import { type Rehearsal, type RehearsalOptions, rehearse, type Stage } from "./rehearse.ts";

/** Addresses of a finding that the text shows. */
const PEOPLE_SHOWN = 20;

/** What a command has for a rehearsal beside the database, on its stage. */
export interface StageParts extends Pick<Stage, "configProblem" | "configWarnings"> {
  openFiles(folder: string | undefined): Pick<ObjectStore, "head"> | null;
  /** Lets an older version serve the database, and someone log in there. Closes the database. */
  tryOlder(version: string, visitor: Visitor): Promise<Served>;
}

/** What an older version did with the migrated database. */
export interface Served {
  /** Null if someone could log in and see their profile. */
  problem: string | null;
  /** What it has logged as an error. */
  errors: string[];
}

/** Rehearses an upgrade, and reports whom it would lock out. */
export async function reportRehearsal(
  services: Services & Partial<StageParts>,
  { files: folder, back, ...options }: RehearsalOptions & { files?: string; back?: string },
): Promise<{ text: string; value: unknown; hasFailed: boolean }> {
  const files = services.openFiles?.(folder) ?? null;
  const rehearsal = await rehearse({ ...services, files }, options);
  if (back !== undefined && !isRefused(rehearsal)) {
    const served = await services.tryOlder!(back, await prepareForOlder(services));
    rehearsal.findings.push(...olderFindings(served));
    if (served.problem === null) rehearsal.notes.push(`Someone could log in to ${back} with the migrated database.`);
  }
  const { manifest: { version, schema, createdAt }, ...rest } = rehearsal;
  return {
    text: rehearsalText(rehearsal, options),
    value: { ...rest, backup: { version, schema, createdAt } },
    hasFailed: isRefused(rehearsal),
  };
}

/** Whether the upgrade would lock someone out, or take something from them. */
export function isRefused({ findings }: Pick<Rehearsal, "findings">): boolean {
  return findings.some(({ isRefusal }) => isRefusal);
}

function olderFindings({ problem, errors }: Served): Finding[] {
  return [
    ...problem === null ? [] : [aboutAll(`The older version cannot serve the migrated database: ${problem}.`, true)],
    ...errors.map((error) => aboutAll(`The older version has logged an error: ${error}`, true)),
  ];
}

function rehearsalText(rehearsal: Rehearsal, { file, sample }: RehearsalOptions): string {
  const { manifest, migrations, checked, megabytes: [before, after], seconds, notes, findings } = rehearsal;
  const refusals = findings.filter(({ isRefusal }) => isRefusal);
  const others = findings.filter(({ isRefusal }) => !isRefusal);
  const [some, nobody] = sample === undefined ? ["", "Nobody"] : [", chosen by chance", "None of these accounts"];
  return [
    `${file} is a backup of Foyer ${manifest.version}, as of ${manifest.createdAt}. It was restored and migrated with ` +
    `version ${VERSION}, in ${seconds.toFixed(1)} s.`,
    `Checked: ${checked.accounts} accounts${some}, ${checked.waysIn} ways in, ${
      checked.files === null ? "no files (they are not at hand: --files)" : `${checked.files} files`
    }.`,
    `Database: ${before.toFixed(1)} MB before the migrations, ${after.toFixed(1)} MB after.`,
    ...manifest.settings === undefined
      ? ["The backup does not say for which domain its passkeys are. Compare PASSKEY_RP_ID yourself."]
      : [],
    "",
    ...migrationLines(migrations),
    ...section("To know:", [...others.flatMap(findingLines), ...notes.map((note) => `- ${note}`)]),
    ...section("Do not upgrade yet:", refusals.flatMap(findingLines)),
    refusals.length === 0 ? `${nobody} would be locked out.` : "REFUSED.",
  ].join("\n");
}

function migrationLines(migrations: Rehearsal["migrations"]): string[] {
  if (migrations.length === 0) return ["Migrations: none.", ""];
  const milliseconds = migrations.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return section(
    `Migrations: ${migrations.length}, in ${(milliseconds / 1000).toFixed(1)} s.`,
    migrations.map(({ name, durationMs, rows }) => `- ${name}: ${durationMs} ms, rows written: ${rows}`),
  );
}

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines, ""];
}

function findingLines({ text, count, people }: Finding): string[] {
  if (count === null) return [`- ${text}`];
  const more = count - Math.min(people.length, PEOPLE_SHOWN);
  return [
    `- ${count === 1 ? "1 account" : `${count} accounts`}: they ${text}.`,
    ...people.slice(0, PEOPLE_SHOWN).map((email) => `    ${email}`),
    ...more > 0 ? [`    and ${more} more (--json names up to 1,000)`] : [],
  ];
}
