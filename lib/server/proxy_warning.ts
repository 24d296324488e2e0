import type { Services } from "../services.ts";
import { isFirstIsolate } from "./isolates.ts";

/**
 * Returns a function to call with every request. It logs a warning for the first request that came through a proxy
 * although none is trusted: all clients behind it share the limits of one address. Only the first isolate warns, so a
 * process does so once.
 */
export function warnOfUntrustedProxy({ config, log }: Pick<Services, "config" | "log">): (req: Request) => void {
  let isSilent = config.trustedProxies > 0 || !isFirstIsolate;
  return ({ headers }) => {
    if (isSilent || !headers.has("x-forwarded-for")) return;
    isSilent = true;
    log("warn", "X-Forwarded-For is ignored: clients behind this proxy share one limit; set TRUSTED_PROXIES");
  };
}
