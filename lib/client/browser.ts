import { FoyerError, FoyerUnavailable } from "./errors.ts";
import { refusalOf, send } from "./request.ts";
import { type FoyerUser, userOf } from "./session.ts";

export interface BrowserOptions {
  /** Where people reach Foyer: its `BASE_URL`. */
  url: string;
  /** Whom access tokens are for. Default: the origin of the page. */
  audience?: string;
}

/** What a page asks of Foyer. Its origin must stand in `TOKEN_AUDIENCES`. */
export interface FoyerInBrowser {
  /** Returns who is logged in, or null for a guest. */
  session(): Promise<FoyerUser | null>;
  /** Returns an access token for your own API, or null for a guest. Asks for a new one before the last one ends. */
  token(): Promise<string | null>;
  /** Calls a function when someone has logged in or out, also in another tab. Returns what ends it. */
  onChange(listener: (user: FoyerUser | null) => void): () => void;
}

/** A token that ends sooner could end on its way. */
const RENEW_BEFORE_MS = 30_000;

/** Creates what a page needs to use Foyer. Asks for nothing yet. */
export function createFoyer({ url, audience = location.origin }: BrowserOptions): FoyerInBrowser {
  const base = new URL(url).origin;
  const listeners = new Set<(user: FoyerUser | null) => void>();
  let kept: { token: string; renewAt: number } | undefined;
  let asked: Promise<string | null> | undefined;
  let lastId: string | null | undefined;

  async function session(): Promise<FoyerUser | null> {
    const response = await send(`${base}/auth/check`, { credentials: "include" });
    if (response.status !== 204 && response.status !== 401) throw await refusalOf(response);
    await response.body?.cancel();
    const user = response.status === 204 ? userOf(response.headers) : null;
    const hasChanged = lastId !== undefined && lastId !== (user?.id ?? null);
    lastId = user?.id ?? null;
    if (hasChanged) {
      kept = undefined;
      for (const listener of listeners) listener(user);
    }
    return user;
  }

  async function askToken(): Promise<string | null> {
    const response = await send(`${base}/auth/token`, {
      method: "POST",
      credentials: "include",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ audience }),
    });
    if (!response.ok) {
      const refusal = await refusalOf(response);
      if (refusal instanceof FoyerError && refusal.status === 401) return null;
      throw refusal;
    }
    const { accessToken, expiresIn } = await response.json() as { accessToken: string; expiresIn: number };
    kept = { token: accessToken, renewAt: Date.now() + expiresIn * 1000 - RENEW_BEFORE_MS };
    return accessToken;
  }

  const look = () => {
    // Without an answer, nothing is known to have changed.
    if (document.visibilityState === "visible") session().catch(() => {});
  };
  return {
    session,
    token() {
      if (kept !== undefined && Date.now() < kept.renewAt) return Promise.resolve(kept.token);
      asked ??= askToken().finally(() => asked = undefined);
      return asked;
    },
    onChange(listener) {
      listeners.add(listener);
      if (listeners.size === 1) document.addEventListener("visibilitychange", look);
      if (lastId === undefined) look();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) document.removeEventListener("visibilitychange", look);
      };
    },
  };
}

export { FoyerError, FoyerUnavailable };
