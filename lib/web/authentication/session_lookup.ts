import { findPresentedSessions, type PresentedSessions } from "../../access/session.ts";
import type { Services } from "../../services.ts";

/** The look-up of the session of one request. It runs at most once. */
export class SessionLookup {
  /** The result, once the look-up has begun. */
  found?: Promise<PresentedSessions>;
  /** Whether the route has asked for the session. */
  isAsked = false;
  #tokens?: string[];

  /** @param tokensOf returns the session tokens that the request presents. */
  constructor(
    readonly services: Services,
    readonly req: Request,
    readonly tokensOf: (req: Request) => string[],
  ) {}

  /** The session tokens that the request presents. */
  get tokens(): string[] {
    return this.#tokens ??= this.tokensOf(this.req);
  }

  find(): Promise<PresentedSessions> {
    return this.found ??= findPresentedSessions(this.services, this.tokens);
  }
}
