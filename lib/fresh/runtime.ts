/**
 * The API for pages and islands, on the server and in the browser.
 *
 * @module
 */
export { asset, assetSrcSet } from "./static/asset.ts";
export { HttpError } from "./error.ts";
export { Head, type HeadProps } from "./head.ts";

/** True in the browser, false on the server. */
export const IS_BROWSER: boolean = typeof document !== "undefined";
