/**
 * Loaded before the app: on SIGUSR2, takes every file descriptor for a second and leaves a rejection unhandled. On
 * SIGUSR1, Deno starts its inspector, which panics if no file descriptor is free.
 */
Deno.addSignalListener("SIGUSR2", () => {
  const files: Deno.FsFile[] = [];
  try {
    while (true) files.push(Deno.openSync("deno.json"));
  } catch {
    setTimeout(() => files.forEach((file) => file.close()), 1_000);
  }
  Promise.reject(new Error("no file descriptor is free"));
});
