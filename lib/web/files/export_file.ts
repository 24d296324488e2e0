import type { Context } from "fresh";
import type { Principal } from "../../access/principal.ts";
import { exportAccount } from "../../accounts/account_export.ts";
import { jsonFile } from "../../http/json_file.ts";
import { requestIdOf } from "../../http/request_id.ts";
import { errorFields } from "../../log/log.ts";
import { countRequest } from "../middleware/rate_limit.ts";
import type { State } from "../state.ts";

/**
 * Responds with everything that is stored about the user, as a file. Counts the request.
 *
 * @throws {AppError} RATE_LIMITED.
 */
export async function exportFile(ctx: Context<State>, principal: Principal): Promise<Response> {
  await countRequest(ctx);
  const { services } = ctx.state;
  return await jsonFile(await exportAccount(services, principal), {
    filename: "account.json",
    onBreak: (error) =>
      services.log("error", "export broke off", { requestId: requestIdOf(ctx.info), ...errorFields(error) }),
  });
}
