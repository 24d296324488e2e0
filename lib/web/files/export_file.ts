import type { Context } from "fresh";
import type { Principal } from "../../access/principal.ts";
import { exportAccount } from "../../closing/account_export.ts";
import { jsonFile } from "../../http/json.ts";
import { countRequest } from "../middleware/rate_limit.ts";
import type { State } from "../state.ts";

/**
 * Responds with everything that is stored about the user, as a file. Counts the request.
 *
 * @throws {AppError} RATE_LIMITED.
 */
export async function exportFile(ctx: Context<State>, principal: Principal): Promise<Response> {
  await countRequest(ctx);
  return jsonFile(await exportAccount(ctx.state.services, principal), "account.json");
}
