/** Options of an application. */
export interface FreshConfig {
  /** Path below which the whole application is served. Default: "". */
  basePath?: string;
  /** "development" disables caching and shows stack traces. Default: "production". */
  mode?: "development" | "production";
  /** Whether to trust X-Forwarded-Proto and X-Forwarded-Host. Default: false. */
  trustProxy?: boolean;
}

/** The options, with defaults filled in. */
export type ResolvedFreshConfig = Required<FreshConfig> & { root: string };

/** Options of a layout or page. */
export interface LayoutConfig {
  /** Render without the layouts of parent folders. */
  skipInheritedLayouts?: boolean;
  /** Render without the app wrapper. */
  skipAppWrapper?: boolean;
}
