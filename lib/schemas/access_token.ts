import { z } from "zod";
import { atLeast, atMost, line } from "./text.ts";

/** A request for an access token, and the product that it is for. */
export const AccessTokenSchema = z.object({ audience: line().refine(...atLeast(1)).refine(...atMost(255)) });
export type AccessTokenRequest = z.infer<typeof AccessTokenSchema>;
