import type { Services } from "../services.ts";
import { isFirstIsolate } from "./isolates.ts";

/**
 * Logs a warning at the first request that came through a proxy although none is trusted: everyone behind it then
 * shares the limits of one client address. Only the first isolate does so, so that a process warns once.
 *
 * @returns what is called with every request.
 */
export function warnOfUntrustedProxy({ config, log }: Pick<Services, "config" | "log">): (req: Request) => void {
  let isSilent = config.trustedProxies > 0 || !isFirstIsolate;
  return ({ headers }) => {
    if (isSilent || !headers.has("x-forwarded-for")) return;
    isSilent = true;
    log("warn", "X-Forwarded-For is ignored: clients behind this proxy share one limit; set TRUSTED_PROXIES");
  };
}
