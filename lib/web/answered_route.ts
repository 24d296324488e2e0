import type { Context } from "fresh";
import type { State } from "./state.ts";

/** What the outer handler counts a request by. It is kept here until then. */
interface Answered {
  /** The pattern of the route; undefined for static files and unknown paths. */
  route?: string;
}

/** Notes the pattern of the route that answers a request. */
export function noteRoute({ info, route }: Context<State>): void {
  if (route !== null) (info as Answered).route = route;
}

/** Returns the pattern that {@linkcode noteRoute} has noted. */
export function answeredRoute(info: Deno.ServeHandlerInfo): string | undefined {
  return (info as Answered).route;
}
