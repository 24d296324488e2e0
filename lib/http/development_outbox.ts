import type { Context } from "fresh";
import { AppError } from "../errors.ts";
import type { KeptMail, Services } from "../services.ts";
import type { State } from "./state.ts";

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
  if (!isLoopback || req.headers.has("x-forwarded-for") || !hasDevelopmentOutbox(services)) {
    throw new AppError("NOT_FOUND", "Not found");
  }
  return await services.mail.kept!();
}
