import { z } from "zod";
import { SCOPES } from "../scopes.ts";
import { Amount, EntityId, listOf, Time } from "./common.ts";

/** An API token as its owner sees it. */
export const ApiTokenView = z.object({
  id: EntityId,
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  hint: z.string().meta({ description: "The start of the token" }),
  createdAt: Time,
  expiresAt: Time,
  lastUsedAt: Time.nullable(),
});
export type ApiTokenView = z.infer<typeof ApiTokenView>;

export const ApiTokenList = listOf(ApiTokenView);
/** The only response that contains the token itself. */
export const CreatedApiToken = z.object({ data: ApiTokenView, token: z.string() });

/** A token with which a browser app shows a product who uses it. Source: RFC 6749, 5.1. */
export const AccessTokenView = z.object({
  accessToken: z.string().meta({ description: "A JWT that the keys at `/.well-known/jwks.json` verify" }),
  tokenType: z.literal("Bearer"),
  expiresIn: Amount.meta({ description: "Seconds" }),
});
export type AccessTokenView = z.infer<typeof AccessTokenView>;
