import { z } from "zod";
import { lineOf } from "./text.ts";

/** A request for an access token, and the product that it is for. */
export const AccessTokenSchema = z.object({ audience: lineOf({ min: 1, max: 255 }) });
export type AccessTokenRequest = z.infer<typeof AccessTokenSchema>;
