import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readSettings } from "../../lib/config/config.ts";
import { registerUser } from "../support/app/accounts.ts";
import { openTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const BASE_URL = "http://localhost:8000";

Deno.test("with APP_ENV=test, nothing is limited but what has a limit", () => {
  const { limits } = readSettings({ APP_ENV: "test", LIMIT_REGISTER: "3/60" });
  const limited = Object.entries(limits).filter(([, limit]) => limit !== null);
  deepStrictEqual(limited, [["register", { quota: 3, windowSeconds: 60 }]]);
});

Deno.test("programs on the same machine read the emails and move the clock, with APP_ENV=test", async () => {
  await using app = await openTestApp({ APP_ENV: "test", BASE_URL });
  app.services.mail.listMails = () => Promise.resolve(app.mails.map((mail) => ({ ...mail, storedAt: new Date(0) })));
  app.services.forwardClock = (milliseconds) => app.advance(milliseconds / 1000);
  await registerUser(app, "ada@example.com");
  await app.deliverMails();
  const developer = app.client("127.0.0.1");
  const { data } = await (await developer.get("/dev/mails")).json();
  deepStrictEqual(data.map(({ to }: { to: string }) => to), ["ada@example.com"]);

  const before = app.services.now().getTime();
  const forward = (client: TestClient, seconds: unknown, headers = {}) =>
    client.send("POST", "/dev/clock", { seconds }, headers);
  strictEqual((await forward(developer, 900)).status, 200);
  strictEqual(app.services.now().getTime() - before, 900_000);
  for (const wrong of [0, -1, 1.5, 1e12, "900", undefined]) strictEqual((await forward(developer, wrong)).status, 400);
  strictEqual((await forward(developer, 900, { "X-Forwarded-For": "203.0.113.9" })).status, 404);
  strictEqual((await forward(app.client("192.0.2.7"), 900)).status, 404);
  strictEqual(app.services.now().getTime() - before, 900_000);
});

Deno.test("without APP_ENV=test, the clock cannot be moved", async () => {
  await using app = await openTestApp({ BASE_URL });
  strictEqual((await app.client("127.0.0.1").send("POST", "/dev/clock", { seconds: 900 })).status, 404);
});
