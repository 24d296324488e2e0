import { z } from "zod";
import { EntityId, listOf, one, Time } from "./common.ts";

/** A passkey as its owner sees it. */
export const PasskeyView = z.object({
  id: EntityId,
  name: z.string(),
  createdAt: Time,
  lastUsedAt: Time.nullable(),
  backedUp: z.boolean().meta({ description: "Whether it is synchronized between devices" }),
});
export type PasskeyView = z.infer<typeof PasskeyView>;

export const PasskeyList = listOf(PasskeyView);
export const OnePasskey = one(PasskeyView);

/** What the browser needs for a ceremony. WebAuthn defines the fields. */
export const PasskeyOptions = z.object({
  options: z.looseObject({ challenge: z.string() }).meta({
    description: "For `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` of `PublicKeyCredential`",
  }),
});
