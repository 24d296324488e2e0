import { match, strictEqual } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { withPage } from "../support/browser/browser.ts";
import { freePort } from "../support/processes/free_port.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

/** The guide in docs/api.md. The typed client has a test of its own, and so has the example for nginx. */
const guide = (await Deno.readTextFile(new URL("../../docs/api.md", import.meta.url)))
  .replace(/## A typed client[\s\S]*?(?=\n## )/, "");
const port = freePort();
/** Another origin of the same site. */
const otherOrigin = `http://127.0.0.1:${port}`;
const AUDIENCE = "https://wiki.foyer.example";

const { app, url, browser } = await openSharedSite({ CORS_ORIGINS: otherOrigin, TOKEN_AUDIENCES: AUDIENCE });
const { client } = await registerVerifiedUser(app, "ada@example.com");
const snippets = [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, code]) => ({
  language,
  code: code.replaceAll("http://localhost:8000", url).replaceAll("https://foyer.example", url),
}));

Deno.test("the commands of the guide work", async () => {
  const commands = codeIn("sh");
  strictEqual(commands.length >= 6, true, `only ${commands.length} were found`);
  const folder = await Deno.makeTempDir({ prefix: "foyer-guide-" });
  try {
    // The function makes every request fail that gets an error, except the one that shows an error.
    const prelude = 'curl() { case "$*" in *problem*) command curl -s "$@";; *) command curl -sS -f "$@";; esac; }\n';
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-euo", "pipefail", "-c", prelude + commands.join("\n")],
      cwd: folder,
    }).output();
    const output = new TextDecoder().decode(stdout);
    strictEqual(code, 0, output + new TextDecoder().decode(stderr));
    match(output, /"status":"stored"/);
    match(output, /"accessToken":"ey/);
    match(output, /"code":"UNAUTHENTICATED"/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the programs of the guide for servers work", async () => {
  const { token } = await createToken(client);
  const { accessToken } = await (await client.send("POST", "/auth/token", { audience: AUDIENCE })).json();
  const programs = codeIn("ts");
  strictEqual(programs.length, 2);
  const outputs = await Promise.all(programs.map(async (code) => {
    const given = `const accessToken = ${JSON.stringify(accessToken)};\n`;
    const file = await Deno.makeTempFile({ suffix: ".ts" });
    await Deno.writeTextFile(file, code.includes("accessToken") ? given + code : code);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--config", new URL("../../deno.json", import.meta.url).pathname, file],
      env: { FOYER_TOKEN: token },
    }).output();
    await Deno.remove(file);
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  }));
  match(outputs.join(), /Updated by a server/);
  match(outputs.join(), /ada@example\.com/);
});

Deno.test("the program of the guide for browsers works on another origin, and only where CORS_ORIGINS allows it", async () => {
  const [program] = codeIn("js");
  const respond = () => new Response("<!DOCTYPE html><title>App</title>", { headers: { "Content-Type": "text/html" } });
  await using _allowed = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, respond);
  await using other = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, respond);
  const run = `(async () => { ${program} return user.email; })()`;
  await withPage(browser, async (page) => {
    await page.goto(otherOrigin);
    strictEqual(await page.evaluate(run), "ada@example.com");
  });
  await withPage(browser, async (page) => {
    await page.goto(`http://127.0.0.1:${other.addr.port}`);
    match(String(await page.evaluate(run).catch((error: Error) => error.message)), /Failed to fetch/);
  }, { allow: [/CORS|Failed to load/] });
});

function codeIn(language: string): string[] {
  return snippets.filter((snippet) => snippet.language === language).map(({ code }) => code);
}
