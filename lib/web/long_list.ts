import type { Context } from "fresh";
import { concurrencyLimit } from "../turns/concurrency_limit.ts";
import { clientAddress, networksOf } from "../http/client_address.ts";
import { isLongList, type ListExtent } from "../schemas/list.ts";
import type { State } from "./state.ts";

/** Less than half of the connections of a pool. */
const AT_ONCE = 4;
/** Waiting requests take memory. */
const MAX_WAITING = 128;

const inTurn = concurrencyLimit(AT_ONCE, { maxWaiting: MAX_WAITING, runningPerOwner: 1 });

/**
 * Reads a list. Long lists of one client address or /48 network are read one at a time: many at once would hold the
 * embedded engine, or all connections.
 *
 * @throws {AppError} UNAVAILABLE when too many lists are waiting, and others have fewer of them.
 */
export function readList<Result>(
  { req, info, state }: Context<State>,
  extent: ListExtent,
  read: () => Result | Promise<Result>,
): Result | Promise<Result> {
  if (!isLongList(extent)) return read();
  const address = clientAddress(req, info, state.services.config.trustedProxies);
  return inTurn(async () => await read(), { owners: networksOf(address) });
}
