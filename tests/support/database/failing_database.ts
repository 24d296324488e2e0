import type { TestApp } from "../app/test_app.ts";

/** Calls `run` while every use of the database throws `failure`. Hides the log lines of these errors. */
export async function withFailingDatabase<T>(
  { services }: TestApp,
  failure: Error | undefined,
  run: () => Promise<T>,
): Promise<T> {
  if (failure === undefined) return await run();
  const { db } = services;
  const { error } = console;
  console.error = () => {};
  services.db = new Proxy(db, {
    get() {
      throw failure;
    },
  });
  try {
    return await run();
  } finally {
    services.db = db;
    console.error = error;
  }
}
