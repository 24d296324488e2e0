import type { ComponentType } from "preact";
import type { EncodedContent } from "./static/content_encoding.ts";

/** A component that is hydrated in the browser. */
export interface Island {
  /** URL path of the island's script. */
  file: string;
  /** Name of the script's export. */
  exportName: string;
}

/** A file that browsers download. */
export interface FileEntry {
  contentType: string;
  hash: string;
  /** The location of the file, or its content. */
  source: URL | Uint8Array<ArrayBuffer>;
  /** Smaller encodings of the content. Only builds on disk have them. */
  encoded?: EncodedContent[];
}

/** The role of a file in the routes folder. Its name determines it. */
export type FsRouteKind = "middleware" | "layout" | "app" | "error" | "notFound" | "route";

/** A file of the routes folder. */
export interface FsRouteFile {
  /** Path relative to the routes folder, without extension. */
  id: string;
  kind: FsRouteKind;
  /** Pattern of the file's segment, including route groups. */
  pattern: string;
  /** URL pattern of the route, without route groups. */
  routePattern: string;
  /** The module, or a function that loads it. */
  mod: object | (() => Promise<object>);
}

/** The result of a build, as the server uses it. */
export interface BuildCache {
  root: string;
  /** Changes whenever a file that browsers download changes. */
  buildId: string;
  /** URL path of the script that hydrates islands. */
  clientEntry: string;
  /** URL path of the live reload script. Development only. */
  devEntry?: string;
  /** Returns the response to a failed request. Development only. */
  renderError?: (error: unknown, req: Request, response: Response) => Response;
  islands: Map<ComponentType, Island>;
  fsRoutes: FsRouteFile[];
  /** Files by percent-encoded URL path. */
  files: Map<string, FileEntry>;
}

/** An empty build, used until a real one is applied. */
export const NO_BUILD: BuildCache = {
  root: ".",
  buildId: "",
  clientEntry: "",
  islands: new Map(),
  fsRoutes: [],
  files: new Map(),
};
