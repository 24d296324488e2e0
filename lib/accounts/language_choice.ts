import type { Services } from "../services/services.ts";
import { updateUser } from "../users/user_changes.ts";

/** Stores the language in which a person reads pages and emails. */
export async function chooseLanguage({ db, now }: Services, userId: string, tag: string): Promise<void> {
  await db.transaction().execute((trx) => updateUser(trx, { id: userId, now: now() }, { language: tag }));
}
