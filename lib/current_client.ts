import { AsyncLocalStorage } from "node:async_hooks";

const clients = new AsyncLocalStorage<string>();

/** Runs work for the client at this address. What the work calls and awaits can ask for whom it runs. */
export function runForClient<Result>(address: string, work: () => Result): Result {
  return clients.run(address, work);
}

/** Returns the address of the client for whom the current work runs. It is empty for work of the service itself. */
export function currentClient(): string {
  return clients.getStore() ?? "";
}
