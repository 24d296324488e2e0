import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { createSmtpTransport } from "../../lib/mail/transports/smtp.ts";
import { startMailServer } from "../support/mail/mail_server.ts";
import { startSmtpServer } from "../support/mail/smtp_server.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { waitFor } from "../support/wait_for.ts";

await buildApp();

const MAIL = { to: "ada@example.com", subject: "Hello", html: "<p>Hello</p>", text: "Hello" };
const SENDER = { from: "Foyer <no-reply@foyer.test>", clientName: "foyer.test" };
const PASSWORD = encodeURIComponent("s:cret/");
/** Longer than the lease of an email that a killed process was delivering. */
const RECOVERY_MS = 40_000;

for (const mode of ["starttls", "tls"] as const) {
  Deno.test(`a mail server with ${mode} gets a secret email, and only if its certificate is trusted`, async () => {
    const folder = await Deno.makeTempDir();
    await using server = await startMailServer(mode, folder);
    const ca = await Deno.readTextFile(server.certificatePath);
    const url = `${mode === "tls" ? "smtps" : "smtp"}://foyer:${PASSWORD}@localhost:${server.port}`;
    await createSmtpTransport({ url, ca, ...SENDER }).send(MAIL, "1");
    const { from, to, isSecret, source } = await server.next();
    deepStrictEqual([from, to, isSecret], ["no-reply@foyer.test", ["ada@example.com"], true]);
    match(source, /^Message-ID: <1@foyer.test>/m);

    await rejects(createSmtpTransport({ url, ...SENDER }).send(MAIL, "2"), /certificate|UnknownIssuer|SELF_SIGNED/i);
    const wrong = url.replace(PASSWORD, "wrong");
    await rejects(createSmtpTransport({ url: wrong, ca, ...SENDER }).send(MAIL, "3"), (error) => {
      match(String(error), /535/);
      return !Deno.inspect(error).includes("wrong");
    });
    const otherName = url.replace("localhost", "127.0.0.1");
    await rejects(
      createSmtpTransport({ url: otherName, ca, ...SENDER }).send(MAIL, "4"),
      /certificate|NotValidForName/i,
    );
    await Deno.remove(folder, { recursive: true });
  });
}

Deno.test("the service sends its emails through a mail server with the permissions that it has", async () => {
  const folder = await Deno.makeTempDir();
  {
    await using server = await startMailServer("starttls", folder);
    const env = {
      EMAIL_URL: `smtp://foyer:${PASSWORD}@localhost:${server.port}`,
      DENO_CERT: server.certificatePath,
    };
    await using app = await startApp({ dataDir: `${folder}/data`, env });
    strictEqual(await register(app), 201);
    const { to, isSecret } = await server.next();
    deepStrictEqual([to, isSecret], [["ada@example.com"], true]);
    ok(!app.output().includes(PASSWORD));
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("an email is sent again with its Message-ID if the process is killed while the server accepts it", async () => {
  const dataDir = await Deno.makeTempDir();
  using server = startSmtpServer();
  const env = { EMAIL_URL: server.url };
  {
    await using app = await startApp({ dataDir, env });
    server.answer = (step) => {
      if (step !== "content") return undefined;
      app.kill("SIGKILL");
      return null;
    };
    await register(app).catch(() => {}); // the process may die before its response
    await app.ended;
  }
  strictEqual(server.received.length, 1);
  server.answer = () => undefined;
  {
    await using _app = await startApp({ dataDir, env });
    await waitFor("the email", () => server.received.length === 2, { timeoutMs: RECOVERY_MS });
  }
  const ids = server.received.map(({ source }) => /^Message-ID: (.*)$/m.exec(source)![1]);
  strictEqual(new Set(ids).size, 1);
  await Deno.remove(dataDir, { recursive: true });
});

async function register(app: AppProcess): Promise<number> {
  const response = await fetch(`${app.url}/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Ada", email: MAIL.to, password: "Correct-horse-7" }),
  });
  await response.body?.cancel();
  return response.status;
}
