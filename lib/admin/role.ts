import type { Role } from "../users/tables.ts";
import { recordEvent } from "../activity/events.ts";
import type { Services } from "../services/services.ts";
import { updateUser } from "../users/user_changes.ts";
import { type AdminAct, lockAccount, reasonIn } from "./locked_account.ts";

/**
 * Makes someone an admin, or an ordinary user again. Of two admins who are demoted at the same moment, one stays.
 *
 * @returns whether the role was another one.
 * @throws {AppError} NOT_FOUND; LAST_ADMIN.
 */
export async function changeRole(services: Services, act: AdminAct & { role: Role }): Promise<boolean> {
  const { by, role } = act;
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const { id, role: previous } = await lockAccount(trx, act);
    if (previous === role) return false;
    await updateUser(trx, { id, now }, { role });
    await recordEvent(trx, { kind: "role.changed", userId: id, ...by, details: { role, ...reasonIn(act) } }, now);
    return true;
  });
}
