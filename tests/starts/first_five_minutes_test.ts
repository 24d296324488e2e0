import { match, strictEqual } from "node:assert/strict";
import { buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";

await buildApp();

Deno.test("the commands of docs/first-five-minutes.md work", () =>
  withFolder(async (folder) => {
    const document = await Deno.readTextFile(new URL("../../docs/first-five-minutes.md", import.meta.url));
    const session = document.match(/```sh\n([\s\S]*?)```/)![1];
    await using app = await startApp({ dataDir: `${folder}/.data`, createsDatabase: true });
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-euo", "pipefail", "-c", session.replaceAll("http://localhost:8000", app.url)],
      cwd: folder,
    }).output();
    const output = new TextDecoder().decode(stdout);
    strictEqual(code, 0, output + new TextDecoder().decode(stderr));
    match(output, /"emailVerified":true/);
    match(output, /"bio":"First programmer\."/);
    match(output, /content-type: image\/webp/i);
    strictEqual(new TextDecoder().decode((await Deno.readFile(`${folder}/.data/photo.webp`)).subarray(0, 4)), "RIFF");
  }));
