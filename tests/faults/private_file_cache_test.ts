import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createToken } from "../support/app/api_tokens.ts";
import { openTestApp } from "../support/app/test_app.ts";
import { withFolder } from "../support/database/engines.ts";
import { fetchWith } from "../support/processes/fetch_with.ts";
import { freePort } from "../support/processes/free_port.ts";
import { originOf, proxyPorts, startFrontProxy } from "../support/processes/front_proxy.ts";
import { openPrivateFile, PRIVATE_TEXT } from "../support/uploads/private_file_cases.ts";

/** The content of all files in a folder. */
async function contentOf(folder: string): Promise<string> {
  let content = "";
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    content += isDirectory ? await contentOf(path) : await Deno.readTextFile(path);
  }
  return content;
}

Deno.test("a proxy that caches everything it may stores public files and nothing about private ones", () =>
  withFolder(async (folder) => {
    const [ports, port] = [proxyPorts(), freePort()];
    await using app = await openTestApp({ BASE_URL: originOf(ports), TRUSTED_PROXIES: "1" }, { port });
    const cacheFolder = `${folder}/cache`;
    await Deno.mkdir(cacheFolder);
    const instance = `http://127.0.0.1:${port}`;
    await using proxy = await startFrontProxy(folder, ports, [instance, instance], { cacheFolder });
    using client = Deno.createHttpClient({ caCerts: [proxy.certificate] });
    /** Returns the status, what the cache did, and the text. */
    const ask = async (url: string, init: RequestInit = {}) => {
      const response = await fetchWith(client, url, { ...init, redirect: "manual" });
      return [response.status, response.headers.get("X-Cache"), await response.text()];
    };

    const file = await openPrivateFile(app);
    const { owner, publicUrl } = file;
    const open = await owner.store("open to everyone");
    deepStrictEqual(await ask(open.publicUrl), [200, "MISS", "open to everyone"]);
    deepStrictEqual(await ask(open.publicUrl), [200, "HIT", "open to everyone"], "the cache does not work");

    const { headers: token } = await createToken(owner.client, { scopes: ["uploads:read"] });
    const { headers: other } = await createToken(owner.client, { scopes: ["profile:read"] });
    const session = { Cookie: `auth_session=${owner.client.cookies.get("auth_session")}` };
    const { etag } = (await app.services.objects.head(file.key))!;
    const navigation = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
    const link = publicUrl + await file.link();
    const dead = publicUrl + await file.link({ seconds: 0 });
    const pending = await owner.presign({ visibility: "private" });
    // With a cache, nginx asks for whole files, without conditions.
    const requests: [string, RequestInit, number][] = [
      [publicUrl, { headers: session }, 200],
      [publicUrl, { headers: session, method: "HEAD" }, 200],
      [publicUrl, { headers: { ...session, Range: "bytes=1-2" } }, 200],
      [publicUrl, { headers: { ...session, "If-None-Match": etag } }, 200],
      [publicUrl, { headers: token }, 200],
      [publicUrl, { headers: other }, 403],
      [publicUrl, { headers: navigation }, 200],
      [publicUrl, {}, 404],
      [link, {}, 200],
      [link, { headers: { "If-None-Match": etag } }, 200],
      [dead, {}, 404],
      [pending.publicUrl, { headers: session }, 404],
      [`${publicUrl}?signature=x`, {}, 403],
      [publicUrl.replace("private/", "private%2F"), {}, 404],
    ];
    for (let turns = 0; turns < 2; turns++) {
      for (const [url, init, status] of requests) {
        const [got, cache, text] = await ask(url, init);
        deepStrictEqual([got, cache], [status, "MISS"], `${url} ${JSON.stringify(init)}`);
        if (status === 200 && init.method !== "HEAD" && !("Sec-Fetch-Site" in (init.headers ?? {}))) {
          strictEqual(text, PRIVATE_TEXT);
        }
      }
    }

    strictEqual(await owner.put(pending), 200);
    strictEqual((await ask(pending.publicUrl, { headers: session }))[0], 200, "the 404 from before was stored");
    await app.services.db.updateTable("uploads").set({ link_number: 1 }).where("id", "=", file.id).execute();
    strictEqual((await ask(link))[0], 404, "the revoked link was stored");

    const stored = await contentOf(cacheFolder);
    ok(stored.includes("open to everyone"));
    for (const secret of ["/files/private", PRIVATE_TEXT, file.key]) ok(!stored.includes(secret), secret);
    const log = await proxy.log();
    ok(log.includes("/files/private/") && !log.includes("link="), "the log contains a link");
  }));
