/**
 * The builder: production builds, builds in memory for tests, and the development server.
 *
 * @module
 */
export { Builder } from "./dev/builder.ts";
export type { BuildOptions, ResolvedBuildConfig } from "./dev/options.ts";
