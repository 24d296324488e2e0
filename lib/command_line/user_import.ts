import { z } from "zod";
import {
  type Imported,
  type ImportedPerson,
  type ImportRefusal,
  importUsers,
  measureLoginCost,
  type PersonOnLine,
} from "../accounts/user_import.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import { AppError } from "../errors/errors.ts";
import { validate } from "../http/parse.ts";
import { messageOf } from "../log/log.ts";
import { issueMessage } from "../errors/problem.ts";
import { lineOf } from "../schemas/text.ts";
import { Email, Name } from "../schemas/user.ts";
import { MAX_HASH_METHODS } from "../users/hash_methods.ts";
import { command, commandInParts } from "./command.ts";
import { batchesOf } from "./import_file.ts";
import { textOf } from "./run.ts";
import { count, plain } from "./text.ts";

const HASH_MAX = 1_000;
/** The last second of the year 9999. A time in milliseconds is greater. */
const SECONDS_MAX = 253_402_300_799;

const Part = lineOf({ max: HASH_MAX });
const Time = z.union([
  z.int().min(0).max(SECONDS_MAX).transform((seconds) => new Date(seconds * 1_000)),
  z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
]);

/** Firebase hashes have the parameters of their project. */
const FirebaseScrypt = z.strictObject({
  hash: Part,
  salt: Part,
  signerKey: Part,
  saltSeparator: Part,
  rounds: z.int(),
  memCost: z.int(),
});

/**
 * A line of an import: a user of another system. Fields that it does not know are refused, because a misspelled one
 * would be missing. Source: docs/moving-in.md, A line.
 */
const ImportedPersonSchema = z.strictObject({
  email: Email,
  name: Name.nullish(),
  emailVerified: z.boolean(issueMessage({ rule: "boolean" })).default(false),
  /** Seconds since 1970, or ISO 8601 with an offset. */
  createdAt: Time.nullish(),
  passwordHash: z.union([lineOf({ min: 1, max: HASH_MAX }), z.strictObject({ firebaseScrypt: FirebaseScrypt })])
    .nullish(),
});

/** A reason is a short sentence, unless a field has a long name. */
const REASON_MAX = 200;

const REFUSALS: Record<ImportRefusal, string> = {
  domain: "email: Its domain is not in ALLOWED_EMAIL_DOMAINS",
  future: "createdAt: Must not be in the future",
  "hash format": "passwordHash: Is not a hash that can be imported",
  "hash costs": "passwordHash: Its costs are out of bounds",
  "hash methods":
    `passwordHash: There are ${MAX_HASH_METHODS} ways of hashing already, and each takes time at every login`,
};

const Lines = z.array(z.tuple([z.int(), z.string().nullable()])).max(1_000);

/** Lines to import, and what became of them. */
interface PartReport {
  imported: number;
  known: number;
  refused: { line: number; reason: string }[];
  methods: Imported["methods"];
  /** How many hashes open nothing, because PASSWORDS is off. */
  idleHashes: number;
}

/** Imports a few lines. `users import` asks the service to do it, because the service may not read the file. */
export const importLines = command({
  name: "users import-lines",
  summary: "Import users of another system",
  input: z.object({ lines: Lines, dryRun: z.boolean() }),
  async run(services, { lines, dryRun: isDryRun }) {
    const refused: PartReport["refused"] = [];
    const people = lines.flatMap(([line, text]): PersonOnLine[] => {
      const read = readLine(text);
      if ("person" in read) return [{ line, person: read.person }];
      refused.push({ line, ...read });
      return [];
    });
    const { refused: others, ...rest } = await importUsers(services, people, { isDryRun });
    refused.push(...others.map(({ line, reason }) => ({ line, reason: REFUSALS[reason] })));
    const hashes = people.filter(({ person }) => person.passwordHash).length;
    const idleHashes = mayUsePassword(services.config, "open") ? 0 : hashes;
    const value: PartReport = { ...rest, idleHashes, refused: refused.sort((a, b) => a.line - b.line) };
    return { text: "", value };
  },
});

function readLine(text: string | null): { person: ImportedPerson } | { reason: string } {
  if (text === null) return { reason: "Is too long, or not UTF-8" };
  const value = parseOrUndefined(text);
  if (value === undefined) return { reason: "Is not JSON" };
  try {
    return { person: validate(ImportedPersonSchema, value) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const problems = textOf(error).split("\n  ").slice(1).join("; ");
    return { reason: plain(problems).slice(0, REASON_MAX) };
  }
}

/** The error of the parser would quote the line, with its hash. */
function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function costText(methods: Imported["methods"]): Promise<string[]> {
  if (methods.length === 0) return [];
  const { ms, highest } = await measureLoginCost(methods);
  const cost = `each login takes about ${ms} ms longer on this machine: ${highest.join(", ")}`;
  return [`As long as one of their passwords is left, ${cost}`];
}

/** `users import` */
export const usersImport = commandInParts({
  name: "users import",
  summary: "Import users of another system, with their passwords",
  details:
    "The file has one user on each line, as JSON: email, name, emailVerified, createdAt, passwordHash. docs/moving-in.md " +
    "says how to make it. Nothing is emailed. Known users are skipped, so the command may be repeated, also after it was " +
    "interrupted. Ends with 1 and names the lines if some are refused.",
  arguments: { file: "the path of the file; a relative one starts at the folder of the project" },
  options: [{ flags: "--dry-run", description: "check everything, and change nothing" }],
  input: z.object({ file: z.string().min(1), dryRun: z.boolean().default(false) }),
  async runInParts({ file, dryRun }, runPart) {
    const refused = createRefusedLines();
    let [imported, known, idleHashes] = [0, 0, 0];
    const methods: Imported["methods"] = [];
    try {
      for await (const lines of batchesOf(file)) {
        const part = await runPart(importLines, { lines, dryRun }) as PartReport;
        imported += part.imported;
        known += part.known;
        idleHashes += part.idleHashes;
        methods.push(...part.methods);
        for (const { line, reason } of part.refused) refused.add(line, reason);
      }
    } catch (error) {
      const before = dryRun ? "" : `. Imported ${count(imported, "user")} before. Repeat the command for the others`;
      throw new Error(messageOf(error) + before);
    }
    const text = [
      `${dryRun ? "Would import" : "Imported"} ${count(imported, "user")}.`,
      ...dryRun && imported > 0 ? await costText(methods) : [],
      ...idleHashes > 0
        ? [`Warning: PASSWORDS is off, so the passwords of ${count(idleHashes, "line")} are stored and open nothing.`]
        : [],
      ...known > 0 ? [`Skipped, because they are known: ${known}.`] : [],
      ...refused.count() > 0 ? [`Refused ${count(refused.count(), "line")}:`, refused.text()] : [],
    ].join("\n");
    return {
      text,
      value: { imported, known, refused: refused.ranges(), dryRun },
      hasFailed: refused.count() > 0,
    };
  },
});

/** Lines from one number to another that are refused for the same reason. */
interface RefusedRange {
  from: number;
  to: number;
  reason: string;
}

/**
 * Collects the numbers of lines that are refused. A file of another kind has millions of them, for one reason: they
 * take no more memory than a few.
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
