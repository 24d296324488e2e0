import type { Context } from "fresh";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../errors/errors.ts";
import { LOOPBACK_NAMES } from "../../network/loopback.ts";
import { exampleMail } from "../../mail/examples.ts";
import { MAIL_KINDS, type MailKind } from "../../mail/kinds.ts";
import type { Mail, StoredMail } from "../../services/services.ts";
import type { Language } from "../../texts/texts.ts";
import type { State } from "../state.ts";
import { hasMailFolder } from "./has_mail_folder.ts";

/**
 * Lists the emails of the development mail folder.
 *
 * @throws {AppError} as {@linkcode requireDeveloper} does; NOT_FOUND if emails leave this machine.
 */
export async function listFolderMails(ctx: Context<State>): Promise<StoredMail[]> {
  requireDeveloper(ctx);
  const { services } = ctx.state;
  if (!hasMailFolder(services)) throw new AppError("NOT_FOUND", { reason: "page" });
  return await services.mail.listMails!();
}

/**
 * Writes an email of every kind, with made-up facts.
 *
 * @throws {AppError} as {@linkcode requireDeveloper} does.
 */
export function listExampleMails(ctx: Context<State>, language: Language): (Mail & { kind: MailKind })[] {
  requireDeveloper(ctx);
  const { config, languages: { mailFrame: frame } } = ctx.state.services;
  return MAIL_KINDS.map((kind) => ({ kind, ...exampleMail(kind, { ...config, language, frame }) }));
}

/**
 * Requires that the browser is on the same machine, in development.
 *
 * @throws {AppError} NOT_FOUND for all other browsers, and in production.
 */
export function requireDeveloper(ctx: Context<State>): void {
  if (!isDeveloper(ctx)) throw new AppError("NOT_FOUND", { reason: "page" });
}

/** Whether the browser is on the same machine, in development. */
export function isDeveloper({ info, req, state: { services: { config } } }: Context<State>): boolean {
  const { remoteAddr } = info;
  const isLoopback = "hostname" in remoteAddr && /^(127\.|::1$|::ffff:127\.)/.test(remoteAddr.hostname);
  return !config.isProduction && isLoopback && !req.headers.has("x-forwarded-for") && isOwnName(req, config);
}

/** Prevents DNS rebinding: a foreign page whose host name resolves to this machine could read the emails. */
function isOwnName({ headers }: Request, { baseUrl }: Config): boolean {
  const name = URL.parse(`http://${headers.get("host")}`)?.hostname ?? "";
  return name === new URL(baseUrl).hostname || LOOPBACK_NAMES.includes(name);
}
