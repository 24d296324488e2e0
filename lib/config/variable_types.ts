import { z } from "zod";

/** An http or https URL. */
export const webUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

/** `true` or `false`. */
export const flag = z.enum(["true", "false"], "must be true or false").transform((value) => value === "true");

/** Labels of letters, digits and hyphens, at least two, in any script. */
const DOMAIN_NAME = /^[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+$/u;
/** A domain that an address can have. The last label is not a number. */
const ADDRESS_DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.(?!\d+$)[a-z0-9-]+$/;

/** A domain name as it is in stored addresses: ASCII in lower case. */
export const domainName = z.string().transform((value, context) => {
  const domain = DOMAIN_NAME.test(value) ? URL.parse(`http://${value}`)?.hostname ?? "" : "";
  if (ADDRESS_DOMAIN.test(domain)) return domain;
  context.addIssue({ code: "custom", message: "must be domain names, such as example.com, separated by spaces" });
  return z.NEVER;
});

/** Returns the origin that a URL consists of, or null if it is not one or has a path. */
export function originOf(value: string): string | null {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : null;
}
