/** Loaded before the app: on SIGUSR1, takes every file descriptor for a second and leaves a rejection unhandled. */
Deno.addSignalListener("SIGUSR1", () => {
  const files: Deno.FsFile[] = [];
  try {
    while (true) files.push(Deno.openSync("deno.json"));
  } catch {
    setTimeout(() => files.forEach((file) => file.close()), 1_000);
  }
  Promise.reject(new Error("no file descriptor is free"));
});
