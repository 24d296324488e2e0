import { seal, unseal } from "../crypto/sealed.ts";
import type { Mail } from "../services.ts";

/** Queued mails are encrypted, because they hold links whose tokens the database must not know. */

const purpose = "outbox";

/** Encrypts a mail for the outbox row with this id. */
export function encryptMail(mail: Mail, row: { id: string; appSecret: string }): Promise<string> {
  return seal(mail, placeOf(row));
}

/**
 * Decrypts what {@linkcode encryptMail} returned.
 *
 * @throws as {@linkcode unseal} does.
 */
export function decryptMail(payload: string, row: { id: string; appSecret: string }): Promise<Mail> {
  return unseal(payload, placeOf(row));
}

function placeOf({ id, appSecret }: { id: string; appSecret: string }) {
  return { purpose, id, secret: appSecret };
}
