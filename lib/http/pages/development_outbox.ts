import type { Context } from "fresh";
import type { Config } from "../../config.ts";
import { AppError } from "../../errors.ts";
import { LOOPBACK_NAMES } from "../../loopback.ts";
import type { KeptMail, Services } from "../../services.ts";
import type { State } from "../state.ts";

/** Whether mails stay on this machine, for a developer to read at /dev/outbox. */
export function hasDevelopmentOutbox({ config, mail }: Services): boolean {
  return !config.isProduction && mail.kept !== undefined;
}

/**
 * The mails of the development outbox, for a browser on the same machine only.
 *
 * @throws {AppError} NOT_FOUND for everybody else, and in production.
 */
export async function readDevelopmentOutbox({ info, req, state: { services } }: Context<State>): Promise<KeptMail[]> {
  const { remoteAddr } = info;
  const isLoopback = "hostname" in remoteAddr && /^(127\.|::1$|::ffff:127\.)/.test(remoteAddr.hostname);
  const isDirect = isLoopback && !req.headers.has("x-forwarded-for") && isOwnName(req, services.config);
  if (!isDirect || !hasDevelopmentOutbox(services)) throw new AppError("NOT_FOUND", "Not found");
  return await services.mail.kept!();
}

/** Under any other name a page of somebody else's could read the answer, by making that name mean this machine. */
function isOwnName({ headers }: Request, { baseUrl }: Config): boolean {
  const name = URL.parse(`http://${headers.get("host")}`)?.hostname ?? "";
  return name === new URL(baseUrl).hostname || LOOPBACK_NAMES.includes(name);
}
