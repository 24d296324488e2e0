import { z } from "zod";

/** An http or https URL. */
export const webUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

/** `true` or `false`. */
export const flag = z.enum(["true", "false"], "must be true or false").transform((value) => value === "true");
