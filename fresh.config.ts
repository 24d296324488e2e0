import type { FreshConfig } from "fresh";
import type { BuildOptions } from "fresh/dev";

/** Fresh's options for the app (main.ts) and for the build (dev.ts). Fresh 2 does not load this file itself. */

export const appOptions: FreshConfig = {
  // URLs are built from BASE_URL only. X-Forwarded-Host must not change them.
  trustProxy: false,
};

export const buildOptions: BuildOptions = {
  root: import.meta.dirname,
  target: ["chrome109", "firefox115", "safari16"],
};
