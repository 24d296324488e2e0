import { ERROR_STATUS, type ErrorCode } from "../../errors/errors.ts";
import { requestIdOf } from "../../http/request_id.ts";

/**
 * Returns the id of a request whose page shows it, so that people can ask for help with it: one that failed because of
 * the service. Other refusals say what to do.
 *
 * @param info has the code of the error, if the request was refused; see `noteRefusal`.
 */
export function shownRequestId(info: Deno.ServeHandlerInfo): string | null {
  const { code } = info as { code?: ErrorCode };
  return code !== undefined && ERROR_STATUS[code] >= 500 ? requestIdOf(info) : null;
}
