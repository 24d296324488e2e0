import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { unixSeconds } from "../../lib/duration.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { CLIENTS, connect, giveCode, NOTES, openAuthorizationApp, REDIRECT_URI } from "../support/app/authorization.ts";

const app = await openAuthorizationApp();

Deno.test("admins see the apps of the file, and how many people use them", async () => {
  const { client: ada, id } = await registerVerifiedUser(app, "ada@example.com");
  const { client: grace } = await registerVerifiedUser(app, "grace@example.com");
  strictEqual((await ada.get("/api/admin/clients")).status, 404);
  await app.services.db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  await connect(app, ada, "phone");
  await connect(app, ada, "phone");
  await connect(app, grace, "phone");
  // A code that was not exchanged is no sign-in.
  await giveCode(app, grace, "portal");
  const response = await ada.get("/api/admin/clients");
  const text = await response.text();
  strictEqual(response.status, 200);
  ok(!/[0-9a-f]{64}/.test(text), "no hash of a secret");
  const { data } = JSON.parse(text);
  deepStrictEqual(data.map(({ clientId }: { clientId: string }) => clientId), CLIENTS.map((each) => each.client_id));
  const used = unixSeconds(app.services.now());
  const [wiki, , phone, portal] = data;
  deepStrictEqual(phone, {
    clientId: "phone",
    name: "The phone",
    firstParty: false,
    confidential: false,
    scopes: ["openid", "profile", "email", "offline_access", "profile:read", "notes:read"],
    resources: [NOTES],
    redirectUris: [REDIRECT_URI],
    people: 2,
    grants: 3,
    lastUsedAt: used,
  });
  deepStrictEqual([wiki.confidential, wiki.people, wiki.grants, wiki.lastUsedAt], [true, 0, 0, null]);
  deepStrictEqual([portal.firstParty, portal.people, portal.grants], [true, 1, 0]);
});
