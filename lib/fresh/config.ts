/** What the application may configure. */
export interface FreshConfig {
  /** Path under which the whole application is served; default none. */
  basePath?: string;
  /** Development turns off caching and shows stacks. */
  mode?: "development" | "production";
  /** Believe X-Forwarded-Proto and X-Forwarded-Host; default false. */
  trustProxy?: boolean;
}

/** The configuration with every default filled in. */
export type ResolvedFreshConfig = Required<FreshConfig> & { root: string };

/** How a layout or a page is composed with what surrounds it. */
export interface LayoutConfig {
  /** Drop the layouts of the folders above. */
  skipInheritedLayouts?: boolean;
  /** Drop the app wrapper. */
  skipAppWrapper?: boolean;
}
