import type { Context } from "fresh";
import type { Config } from "../../config.ts";
import { AppError } from "../../errors.ts";
import { LOOPBACK_NAMES } from "../../loopback.ts";
import type { KeptMail, Services } from "../../services.ts";
import type { State } from "../state.ts";

/** Whether emails stay on this machine, where a developer reads them at /dev/outbox. */
export function hasDevelopmentOutbox({ config, mail }: Services): boolean {
  return !config.isProduction && mail.kept !== undefined;
}

/**
 * Returns the emails of the development outbox, for a browser on the same machine only.
 *
 * @throws {AppError} NOT_FOUND for other clients, and in production.
 */
export async function readDevelopmentOutbox({ info, req, state: { services } }: Context<State>): Promise<KeptMail[]> {
  const { remoteAddr } = info;
  const isLoopback = "hostname" in remoteAddr && /^(127\.|::1$|::ffff:127\.)/.test(remoteAddr.hostname);
  const isDirect = isLoopback && !req.headers.has("x-forwarded-for") && isOwnName(req, services.config);
  if (!isDirect || !hasDevelopmentOutbox(services)) throw new AppError("NOT_FOUND", "Not found");
  return await services.mail.kept!();
}

/** Prevents DNS rebinding: a page of another site could point its own name to this machine and read the response. */
function isOwnName({ headers }: Request, { baseUrl }: Config): boolean {
  const name = URL.parse(`http://${headers.get("host")}`)?.hostname ?? "";
  return name === new URL(baseUrl).hostname || LOOPBACK_NAMES.includes(name);
}
