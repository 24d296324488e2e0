import type { FreshConfig } from "fresh";
import type { BuildOptions } from "fresh/dev";

/** Fresh's own options: for the app, which main.ts makes, and for the build, which dev.ts makes. */

export const appOptions: FreshConfig = {
  // Addresses come from BASE_URL, never from what a proxy says.
  trustProxy: false,
};

export const buildOptions: BuildOptions = {
  root: import.meta.dirname,
  target: ["chrome109", "firefox115", "safari16"],
};
