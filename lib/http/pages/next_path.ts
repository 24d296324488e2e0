import type { Context } from "fresh";
import type { State } from "../state.ts";
import { ownPath } from "./own_path.ts";

/** Returns the page of ours to go to after signing in, which the query parameter `next` names, or null. */
export function nextPath({ url, state }: Pick<Context<State>, "url" | "state">): string | null {
  return ownPath(url.searchParams.get("next"), state.services.config.baseUrl);
}

/** Appends `next` to a path, so that every way to sign in leads to the page that was asked for. */
export function withNext(path: string, next: string | null): string {
  if (next === null) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ next })}`;
}
