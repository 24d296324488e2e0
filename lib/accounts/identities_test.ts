import { strictEqual } from "node:assert/strict";
import { withProviderName } from "./identities.ts";
import type { EventKind } from "../activity/kinds.ts";
import { eventText } from "../texts/event_text.ts";
import { ENGLISH } from "../texts/languages.ts";

Deno.test("an event names the provider as the configuration does", () => {
  const one = [{ key: "default", name: "single sign-on" }];
  const two = [...one, { key: "google", name: "Google" }];
  const cases: [kind: EventKind, details: Record<string, string>, providers: typeof one, text: string][] = [
    ["session.started", { method: "idp", provider: "google" }, two, "Logged in with Google"],
    ["session.started", { method: "idp" }, one, "Logged in with single sign-on"],
    ["session.started", { method: "idp" }, two, "Logged in with a connected account"],
    ["session.started", { method: "password" }, one, "Logged in with a password"],
    ["identity.linked", { provider: "google" }, two, "Google connected"],
    ["identity.linked", { provider: "default" }, two, "Single sign-on connected"],
    ["identity.unlinked", { provider: "google" }, two, "Google disconnected"],
    ["identity.unlinked", { provider: "gone" }, two, "Gone disconnected"],
  ];
  for (const [kind, details, providers, text] of cases) {
    const event = withProviderName({ kind, details }, { providers } as never);
    strictEqual(eventText(ENGLISH, event), text);
  }
});
