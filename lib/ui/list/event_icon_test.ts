import { ok, strictEqual } from "node:assert/strict";
import { EVENT_KINDS } from "../../schemas/event_kinds.ts";
import { eventIcon } from "./event_icon.ts";

Deno.test("every kind of event has a picture", async () => {
  const icons = await Deno.readTextFile(new URL("../../../static/icons.svg", import.meta.url));
  for (const kind of EVENT_KINDS) ok(icons.includes(`id="${eventIcon(kind)}"`), kind);
  strictEqual(eventIcon("session.ended"), "leave");
});
