import { z } from "zod";

/** An http or https URL. */
export const webUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

/** `true` or `false`. */
export const flag = z.enum(["true", "false"], "must be true or false").transform((value) => value === "true");

/** Returns the origin that a URL consists of, or null if it is not one or has a path. */
export function originOf(value: string): string | null {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : null;
}
