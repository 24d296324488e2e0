import type { Context } from "fresh";
import { isSearch, type ListQuery } from "../schemas/list.ts";
import { listUsers } from "../users/user_directory.ts";
import { areMembersOnly } from "../users/user_visibility.ts";
import { forViewer } from "./authentication/viewer.ts";
import { underLimit } from "./middleware/rate_limit.ts";
import type { State } from "./state.ts";

/** What the API document says about the setting PEOPLE. */
export const WHO_SEES_PEOPLE =
  "The operator (`PEOPLE`) may leave out accounts whose address is not confirmed, and answer guests with 401 or everyone " +
  "but admins with 404.";

/**
 * Lists users, or those who are found by their name. Searches of guests count under a limit.
 *
 * @throws {AppError} RATE_LIMITED, and what `listUsers` throws.
 */
export async function listPeople(
  ctx: Context<State>,
  query: ListQuery & { query?: string },
): ReturnType<typeof listUsers> {
  const { services } = ctx.state;
  const viewer = forViewer(ctx);
  const list = () => listUsers(services, { ...query, ...viewer });
  const mayBeLimited = isSearch(query.query ?? "") && !areMembersOnly(services.config);
  return mayBeLimited && await viewer.findViewer() === null ? await underLimit(ctx, list, "search") : await list();
}
