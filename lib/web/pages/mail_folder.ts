import type { Context } from "fresh";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../errors.ts";
import { LOOPBACK_NAMES } from "../../loopback.ts";
import type { Services, StoredMail } from "../../services.ts";
import type { State } from "../state.ts";

/** Whether emails stay on this machine, where developers read them at /dev/outbox. */
export function hasMailFolder({ config, mail }: Services): boolean {
  return !config.isProduction && mail.listMails !== undefined;
}

/**
 * Lists the emails of the development mail folder, for browsers on the same machine only.
 *
 * @throws {AppError} NOT_FOUND for all other browsers, and in production.
 */
export async function listFolderMails({ info, req, state: { services } }: Context<State>): Promise<StoredMail[]> {
  const { remoteAddr } = info;
  const isLoopback = "hostname" in remoteAddr && /^(127\.|::1$|::ffff:127\.)/.test(remoteAddr.hostname);
  const isDirect = isLoopback && !req.headers.has("x-forwarded-for") && isOwnName(req, services.config);
  if (!isDirect || !hasMailFolder(services)) throw new AppError("NOT_FOUND", { reason: "page" });
  return await services.mail.listMails!();
}

/** Prevents DNS rebinding: a foreign page whose host name resolves to this machine could read the emails. */
function isOwnName({ headers }: Request, { baseUrl }: Config): boolean {
  const name = URL.parse(`http://${headers.get("host")}`)?.hostname ?? "";
  return name === new URL(baseUrl).hostname || LOOPBACK_NAMES.includes(name);
}
