import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { acceptLogout, type LogoutReceiver, startLogoutReceiver } from "../support/app/logout_receiver.ts";
import { testCasesOnEachEngine } from "../support/database/engines.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { freePort } from "../support/processes/free_port.ts";
import { waitFor } from "../support/wait_for.ts";

await buildApp();

/** Longer than the lease of a logout that a killed process was sending. */
const RECOVERY_MS = 60_000;
const ADA = { name: "Ada", email: "ada@example.com", password: "Correct-horse-7" };
const REDIRECT_URI = "https://app.example/callback";

/** The moments at which a process can die between the end of a session and its delivery. */
const MOMENTS: { name: string; isUp: boolean; answer: LogoutReceiver["answer"] }[] = [
  { name: "before the app was reached", isUp: false, answer: acceptLogout },
  { name: "while the app works", isUp: true, answer: () => new Promise(() => {}) },
  { name: "after the app accepted it, before Foyer recorded it", isUp: true, answer: acceptLogout },
];

testCasesOnEachEngine(
  "an app hears of a logout even if the process is killed",
  MOMENTS,
  async ({ isUp, answer }, engine, folder) => {
    await using stack = new AsyncDisposableStack();
    const port = freePort();
    const early = isUp ? stack.use(startLogoutReceiver({ port })) : null;
    const CLIENTS_FILE = await writeClientsFile([{
      client_id: "portal",
      client_name: "Portal",
      redirect_uris: [REDIRECT_URI],
      first_party: true,
      require_verified_email: false,
      backchannel_logout_uri: `http://127.0.0.1:${port}/`,
    }]);
    const env = { ...engine.env, CLIENTS_FILE };
    {
      await using app = await startApp({ dataDir: folder, env });
      const cookie = await register(app);
      await allow(app, cookie);
      const killed = Promise.withResolvers<void>();
      if (early !== null) {
        early.answer = (logout) => {
          app.kill("SIGKILL");
          killed.resolve();
          return answer(logout);
        };
      }
      await send(app, "/auth/logout", {}, cookie).catch(() => {}); // the process may die before it responds
      if (early === null) app.kill("SIGKILL");
      else await killed.promise;
      await app.ended;
    }
    const receiver = early ?? stack.use(startLogoutReceiver({ port }));
    receiver.answer = acceptLogout;
    const attempts = receiver.received.length;
    await using _app = await startApp({ dataDir: folder, env });
    await waitFor("the logout", () => receiver.received.length > attempts, { timeoutMs: RECOVERY_MS });
    const claims = receiver.received.map(({ token }) => decodeJwt(token));
    strictEqual(new Set(claims.map(({ jti, sid, sub }) => `${jti} ${sid} ${sub}`)).size, 1);
    deepStrictEqual(new Set(claims.map(({ aud }) => aud)), new Set(["portal"]));
  },
);

async function register(app: AppProcess): Promise<string> {
  const response = await send(app, "/auth/register", ADA);
  strictEqual(response.status, 201, await response.text());
  return response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
}

/** Agrees to the app, which gets a code. */
async function allow(app: AppProcess, cookie: string): Promise<void> {
  const query = new URLSearchParams({
    client_id: "portal",
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "openid",
    code_challenge: "c".repeat(43),
    code_challenge_method: "S256",
  });
  const response = await fetch(`${app.url}/oauth/authorize?${query}`, {
    headers: { Cookie: cookie },
    redirect: "manual",
  });
  await response.body?.cancel();
  const location = response.headers.get("Location") ?? "";
  ok(location.startsWith(`${REDIRECT_URI}?code=`), `${response.status} ${location}`);
}

async function send(app: AppProcess, path: string, body: unknown, cookie?: string): Promise<Response> {
  return await fetch(app.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url, ...cookie === undefined ? {} : { Cookie: cookie } },
    body: JSON.stringify(body),
  });
}
