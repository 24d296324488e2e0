import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { app } from "./fixture/main.ts";

const FIXTURE = `${import.meta.dirname}/fixture`;
const MAX_RUNTIME_KILOBYTES = 14;

async function build(outDir: string): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${FIXTURE}/dev.ts`, "build", outDir],
    stdout: "inherit",
    stderr: "piped",
  });
  const { success, stderr } = await command.output();
  ok(success);
  return new TextDecoder().decode(stderr);
}

async function allText(folder: string): Promise<string> {
  let text = "";
  const entries = await Array.fromAsync(Deno.readDir(folder));
  entries.sort((a, b) => a.name < b.name ? -1 : 1); // some file systems list entries in the order of their creation
  for (const { name, isDirectory } of entries) {
    const path = `${folder}/${name}`;
    text += isDirectory ? await allText(path) : `${name}\n${await Deno.readTextFile(path)}\n`;
  }
  return text;
}

Deno.test("a build on disk works through a symbolic link", async (t) => {
  const folder = await Deno.makeTempDir({ dir: FIXTURE, prefix: "_fresh-" });
  const link = `${folder}-link`;
  try {
    const output = await build(folder);
    await Deno.symlink(folder, link);

    await t.step("sizes are printed, and the runtime is small", () => {
      const runtime = /^runtime: ([\d.]+) kB gzip$/m.exec(output);
      ok(Number(runtime?.[1]) < MAX_RUNTIME_KILOBYTES, output);
      for (const name of ["Counter", "Toggle", "Kinds", "Form", "Local"]) {
        match(output, new RegExp(`^island ${name}: \\+ [\\d.]+ kB gzip$`, "m"));
      }
    });

    await t.step("the build does not contain absolute paths", async () => {
      const text = await allText(folder);
      ok(!text.includes(FIXTURE) && !text.includes("file://"), text);
    });

    await t.step(
      "server.js serves pages, and still serves scripts and styles after its folder is deleted",
      async () => {
        const { default: server } = await import(`file://${link}/server.js`);
        const get = (path: string, headers?: HeadersInit): Promise<Response> =>
          server.fetch(new Request(`http://localhost${path}`, { headers }));
        strictEqual(app.config.root, FIXTURE);
        deepStrictEqual(await (await get("/api")).json(), { ok: true });
        match(await (await get("/")).text(), /<h1>No island<\/h1>/);

        const page = await (await get("/counters")).text();
        const scripts = [...page.matchAll(/"(\/_fresh\/js\/[^"]+)"/g)].map(([, path]) => path);
        const css = /href="(\/style\.css[^"]+)"/.exec(page)?.[1] ?? "";
        // A later build may delete this one while it still serves.
        await Deno.remove(folder, { recursive: true });
        for (const path of [...scripts, css]) {
          const response = await get(path);
          strictEqual(response.status, 200, path);
          strictEqual(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
          const text = await response.text();
          if (path === css) strictEqual(text, "p{background:url(/logo.svg)}body{color:#000}\n", "styles are minified");
          const etag = response.headers.get("etag") ?? "";
          const again = await get(path, { "If-None-Match": etag });
          deepStrictEqual([again.status, again.body], [304, null]);
          const changed = await get(path, { "If-None-Match": 'W/"other"' });
          strictEqual(changed.status, 200);
          await changed.body?.cancel();
        }
        const runtime = scripts.find((path) => path.endsWith("/fresh-runtime.js"))!;
        const compressed = await get(runtime, { "Accept-Encoding": "br" });
        strictEqual(compressed.headers.get("content-encoding"), "br");
        await compressed.body?.cancel();
      },
    );
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await Deno.remove(link).catch(() => {});
  }
});

Deno.test("the same sources produce the same build", async () => {
  const folders = [1, 2].map((i) => `${FIXTURE}/_fresh-same-${i}`);
  try {
    const texts = [];
    for (const folder of folders) {
      await build(folder);
      texts.push(await allText(folder));
    }
    strictEqual(texts[0], texts[1]);
  } finally {
    for (const folder of folders) await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
});
