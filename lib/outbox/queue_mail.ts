import { v7 } from "uuid";
import type { Db, MailKind } from "../../db/schema.ts";
import type { Config } from "../config.ts";
import type { Mail } from "../services.ts";
import { encryptMail } from "./payload_cipher.ts";

/** Queues a mail in the transaction of what causes it: both happen or neither. */
export async function queueMail(
  db: Db,
  { kind, userId, mail, now, config }: { kind: MailKind; userId: string; mail: Mail; now: Date; config: Config },
): Promise<void> {
  const id = v7({ msecs: now.getTime() });
  const payload = await encryptMail(mail, { id, appSecret: config.appSecret });
  await db.insertInto("outbox")
    .values({ id, kind, user_id: userId, payload, next_attempt_at: now, created_at: now })
    .execute();
}
