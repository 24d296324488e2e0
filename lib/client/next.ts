import type { Foyer, FoyerSession } from "./foyer.ts";

/** What these functions use of `next/headers` and `next/navigation`. */
interface Next {
  headers(): Promise<Headers> | Headers;
  redirect(url: string): never;
}

/**
 * Returns the session in server components, route handlers and server actions of Next.
 *
 * ```ts
 * import { headers } from "next/headers";
 * import { redirect } from "next/navigation";
 * export const { session, requireUser } = nextFoyer(foyer, { headers, redirect });
 * ```
 */
export function nextFoyer(foyer: Foyer, { headers, redirect }: Next): {
  /** Who sends the request, or null for a guest. */
  session(): Promise<FoyerSession | null>;
  /** Who sends the request. Leads a guest to the login, and back to this path. */
  requireUser(path: string): Promise<FoyerSession>;
} {
  // Next has no request here. The headers stand for it: they are the same object within one request.
  const session = async () => foyer.session({ headers: await headers() });
  return { session, requireUser: async (path) => await session() ?? redirect(foyer.loginUrl(path)) };
}
