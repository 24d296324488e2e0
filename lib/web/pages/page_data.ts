import type { Context, PageResponse } from "fresh";
import type { User } from "../../users/user_row.ts";
import { requireUser } from "../authentication/require_user.ts";
import type { State } from "../state.ts";

/**
 * Adds what a page shows to the result of its form. A response, such as a redirect after the form has succeeded, stays
 * as it is.
 *
 * @param find returns the data, or a response if the page cannot be shown. Gets the state of the form.
 */
export async function withData<Form extends object, Data extends object>(
  result: Response | PageResponse<Form>,
  find: (form: Form) => Data | Response | Promise<Data | Response>,
): Promise<Response | PageResponse<Form & Data>> {
  if (result instanceof Response) return result;
  const found = await find(result.data);
  return found instanceof Response ? found : { ...result, data: { ...result.data, ...found } };
}

/** What the handler of a page returns. */
export type PageResult = Response | PageResponse<unknown>;

/** Changes the headers of what a handler returns, with a function for responses. */
export function changeHeaders<Result extends PageResult>(result: Result, change: (response: Response) => void): Result {
  if (result instanceof Response) {
    change(result);
    return result;
  }
  const response = new Response(null, { headers: result.headers });
  change(response);
  return { ...result, headers: response.headers };
}

/**
 * Adds the person who is logged in to the data of a page.
 *
 * @throws {AppError} UNAUTHENTICATED.
 */
export async function withUser<Form extends object>(
  ctx: Context<State>,
  result: Response | PageResponse<Form>,
): Promise<Response | PageResponse<Form & { user: User }>> {
  return await withData(result, async () => ({ user: await requireUser(ctx) }));
}
