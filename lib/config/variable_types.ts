import { z } from "zod";

/** An http or https URL. */
export const webUrl = z.url({ protocol: /^https?$/ });

/** `true` or `false`. */
export const flag = z.enum(["true", "false"]).transform((value) => value === "true");
