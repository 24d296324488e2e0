import { findNewerMigrations } from "../../db/migrate.ts";
import { findReadOnlyReason } from "../../db/read_only.ts";
import { configWarnings } from "../config/config.ts";
import { wholeDomainWarnings } from "../config/transport.ts";
import { MINUTE_SECONDS, SECOND_MS } from "../duration.ts";
import { clockProblem, secondsAhead } from "./clock.ts";
import { AppError } from "../errors/errors.ts";
import { innermostMessageOf, messageOf } from "../log/log.ts";
import { DeliveryError } from "../queue/delivery_error.ts";
import { tryToOpen } from "./secrets.ts";
import type { Services } from "../services/services.ts";

/** An email that has waited for longer is late. */
const LATE_SECONDS = 15 * MINUTE_SECONDS;

/** Whether a part of the installation works, and what else to know about it. */
export interface Check {
  part: "configuration" | "database" | "secrets" | "store" | "private files" | "mail" | "test email";
  isGood: boolean;
  text: string;
}

type Result = Omit<Check, "part">;

/**
 * Checks all parts of the installation, also if one fails. With an address, sends a test email to it, at once and
 * outside the queue.
 *
 * @param services.configProblem what is wrong with the configuration.
 */
export async function checkAll(
  services: Services & { configProblem?: string },
  { mailTo }: { mailTo?: string },
): Promise<Check[]> {
  return [
    { part: "configuration", ...checkConfiguration(services) },
    await checkPart("database", checkDatabase(services)),
    await checkPart("secrets", checkSecrets(services)),
    await checkPart("store", checkStore(services)),
    ...services.config.s3 === undefined ? [] : [await checkPart("private files", checkPrivate(services))],
    await checkPart("mail", checkMail(services)),
    ...mailTo === undefined ? [] : [await checkPart("test email", sendTestEmail(services, mailTo))],
  ];
}

async function checkPart(part: Check["part"], result: Promise<Result>): Promise<Check> {
  return { part, ...await result.catch((error) => ({ isGood: false, text: failureOf(error) })) };
}

function failureOf(error: unknown): string {
  if (!(error instanceof AppError && error.is("UNAVAILABLE"))) return messageOf(error);
  if (error.cause !== undefined) return `it accepts nothing now: ${innermostMessageOf(error)}`;
  return "it accepts nothing now: the disk is full, or it cannot be reached. The log of the service says which";
}

function checkConfiguration({ config, configProblem }: Services & { configProblem?: string }): Result {
  if (configProblem !== undefined) return { isGood: false, text: configProblem };
  const mode = config.isProduction ? "production" : "development";
  return {
    isGood: true,
    text: [`${mode} at ${config.baseUrl}`, ...configWarnings(config), ...wholeDomainWarnings(config)].join(". "),
  };
}

async function checkDatabase({ db, now, databaseTime, config }: Services): Promise<Result> {
  const newer = await findNewerMigrations(db);
  if (newer.length > 0) {
    return { isGood: false, text: `it is newer than this release, which does not know ${newer.join(", ")}` };
  }
  const readOnlyReason = await findReadOnlyReason(db);
  const clock = clockProblem(await secondsAhead({ db, now, databaseTime }));
  if (clock !== null) return { isGood: false, text: clock };
  const engine = config.databaseUrl === undefined ? "the embedded database" : "PostgreSQL";
  return readOnlyReason === null
    ? { isGood: true, text: engine }
    : { isGood: false, text: `${engine} is read-only: ${readOnlyReason}` };
}

/** Opens one sealed value of each kind. */
async function checkSecrets(services: Services): Promise<Result> {
  const { count, unreadable } = await tryToOpen(services);
  if (unreadable.length === 0) return { isGood: true, text: `APP_SECRET opens what is stored: ${count} values tried` };
  const names = unreadable.join(", ");
  const text = `APP_SECRET does not open: ${names}. Add the secret that sealed it to APP_SECRET_PREVIOUS`;
  return { isGood: false, text };
}

/** Writes, finds and deletes an object. The sweeps ignore its key. */
async function checkStore({ objects, config }: Services): Promise<Result> {
  const key = `foyer-check/${crypto.randomUUID()}.txt`;
  await objects.put(key, new TextEncoder().encode("check"), "text/plain");
  const found = await objects.head(key);
  await objects.delete(key);
  const place = config.s3 === undefined ? "the disk" : "the bucket";
  return found === null
    ? { isGood: false, text: `${place} does not return what was written to it` }
    : { isGood: true, text: `${place}: written, read and deleted an object` };
}

/** Tries to read a private object without a signature. */
async function checkPrivate({ objects }: Services): Promise<Result> {
  const probe = await objects.probePrivate!();
  if (probe.result === "closed") return { isGood: true, text: "no one can read them without a signature" };
  return {
    isGood: false,
    text: probe.result === "readable"
      ? `anyone can read them at ${probe.address}, so no more are stored`
      : `it is unknown whether anyone can read them: ${failureOf(probe.cause)}`,
  };
}

/** Tries the mail service without sending, and says how many emails wait for it. */
async function checkMail(services: Services): Promise<Result> {
  const queue = await checkQueue(services)
    .catch(() => ({ isGood: true, text: "Emails waiting: unknown, because the database does not work" }));
  try {
    const tried = await services.mail.tryOut?.() ?? "not tried, because emails are kept on this machine";
    return { ...queue, text: `${tried}. ${queue.text}` };
  } catch (error) {
    return { isGood: false, text: `${messageOf(error)}. ${queue.text}` };
  }
}

async function checkQueue({ db, now }: Services): Promise<Result> {
  const { waiting, tried, oldest } = await db.selectFrom("outbox").where("status", "=", "pending")
    .select(({ fn }) => [fn.countAll().as("waiting"), fn.min("created_at").as("oldest")])
    .select(({ fn }) => fn.countAll().filterWhere("attempts", ">", 1).as("tried")).executeTakeFirstOrThrow();
  const ageSeconds = oldest === null ? 0 : Math.floor((now().getTime() - oldest.getTime()) / SECOND_MS);
  const age = oldest === null ? "" : `, the oldest for ${Math.floor(ageSeconds / MINUTE_SECONDS)} minutes`;
  const failing = Number(tried) === 0 ? "" : `. Not delivered in more than one attempt: ${tried}. --mail-to shows why`;
  return { isGood: ageSeconds <= LATE_SECONDS, text: `Emails waiting: ${waiting}${age}${failing}` };
}

async function sendTestEmail({ mail, config }: Services, to: string): Promise<Result> {
  const text = `This is a test email from ${config.baseUrl}. Emails from there reach you.`;
  try {
    await mail.send({ to, subject: "Test email", text, html: `<p>${text}</p>` }, crypto.randomUUID());
  } catch (error) {
    const answer = error instanceof DeliveryError ? error.answer : undefined;
    return { isGood: false, text: answer === undefined ? messageOf(error) : `${messageOf(error)}: ${answer}` };
  }
  return { isGood: true, text: `accepted for ${to}` };
}
