import type { ComponentType } from "preact";
import type { EncodedContent } from "./content_encoding.ts";

/** A component that also runs in the browser. */
export interface Island {
  /** URL path of its script. */
  file: string;
  /** Name under which the script exports it. */
  exportName: string;
}

/** A file for browsers. */
export interface FileEntry {
  contentType: string;
  hash: string;
  /** The location of the file, or its content. */
  source: URL | Uint8Array<ArrayBuffer>;
  /** Smaller encodings of the content. Only builds on disk have them. */
  encoded?: EncodedContent[];
}

/** What the name of a file in the routes folder makes of it. */
export type FsRouteKind = "middleware" | "layout" | "app" | "error" | "notFound" | "route";

/** A file of the routes folder. */
export interface FsRouteFile {
  /** Path below the routes folder without its extension. */
  id: string;
  kind: FsRouteKind;
  /** Where it stands among the segments; with groups. */
  pattern: string;
  /** The URLs it answers; without groups. */
  routePattern: string;
  /** The module, or a function that loads it on first use. */
  mod: object | (() => Promise<object>);
}

/** What a build leaves behind for the server. */
export interface BuildCache {
  root: string;
  /** Changes whenever any file for the browser changes. */
  buildId: string;
  /** URL path of the script that revives islands. */
  clientEntry: string;
  /** URL path of the script that reloads pages in development. */
  devEntry?: string;
  /** Replaces the response to an unexpected error in development. */
  renderError?: (error: unknown, req: Request, response: Response) => Response;
  islands: Map<ComponentType, Island>;
  fsRoutes: FsRouteFile[];
  /** By percent-encoded URL path. */
  files: Map<string, FileEntry>;
}

/** Stands in for the build of an application that has none. */
export const NO_BUILD: BuildCache = {
  root: ".",
  buildId: "",
  clientEntry: "",
  islands: new Map(),
  fsRoutes: [],
  files: new Map(),
};
