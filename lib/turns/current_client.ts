import { AsyncLocalStorage } from "node:async_hooks";

const clients = new AsyncLocalStorage<string[]>();

/**
 * Runs work for the client with these networks, from the widest. Anything it calls or awaits can ask whose request it
 * serves.
 */
export function runForClient<Result>(networks: string[], work: () => Result): Result {
  return clients.run(networks, work);
}

/**
 * Returns the networks of the client for whom the current work runs. None for reads and for work of the service itself.
 */
export function currentClient(): string[] {
  return clients.getStore() ?? [];
}
