import { insertUser } from "../../users/user.ts";
import { hashPassword } from "../../crypto/password.ts";
import { deleteLeftovers } from "../backup/restored_rows.ts";
import type { Stage } from "./rehearse.ts";

/** Someone who logs in to the older version. No one can have this address. */
export interface Visitor {
  email: string;
  password: string;
}

/** What an older version would send to the world. It must not, from a copy. */
const OUTGOING = ["webhooks", "webhook_secrets", "webhook_deliveries", "logout_deliveries", "outbox"];

/**
 * Prepares a migrated copy for an older version: with someone whose password is known, and with nothing that it would
 * send.
 */
export async function prepareForOlder({ db, config }: Pick<Stage, "db" | "config">): Promise<Visitor> {
  await db.transaction().execute((trx) => deleteLeftovers(trx, OUTGOING));
  const visitor = { email: `${crypto.randomUUID()}@rehearsal.invalid`, password: crypto.randomUUID() };
  const passwordHash = await hashPassword(visitor.password, {
    iterations: config.pbkdf2Iterations,
    owner: "rehearsal",
  });
  const { email } = visitor;
  const person = { email, name: "Rehearsal", passwordHash, emailVisible: false, language: null, isVerified: true };
  await insertUser(db, person, new Date());
  return visitor;
}
