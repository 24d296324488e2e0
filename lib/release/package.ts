import { basename, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { publishedDocument } from "../api/document.ts";
import { PACKAGE } from "../config/command_name.ts";
import { readSettings } from "../config/config.ts";
import { VERSION } from "../version.ts";
import { CLIENT_PACKAGE, writeClientPackage } from "./client_package.ts";
import { BUILD } from "./programs.ts";
import { writeServerPackage } from "./server_package.ts";

/** `deno task package`: makes the packages that npm installs from a file. */

const TARGET = new URL("../../dist/", import.meta.url).pathname;
/** The folder inside a package of npm. */
const INSIDE = "package";
/** No time: the same sources make the same package. */
const MODIFIED = new Date(0);

const folder = await Deno.makeTempDir({ prefix: "foyer-package-" });
try {
  const server = `${folder}/${PACKAGE}`;
  await writeServerPackage(server);
  console.log(await pack(server));
  const client = `${folder}/${CLIENT_PACKAGE}`;
  const config = { ...readSettings({}), appSecret: "" };
  const describedApi = () => Deno.readTextFile(join(BUILD, "api.json"));
  await writeClientPackage(client, (await publishedDocument({ config, describedApi })).text);
  console.log(await pack(client));
} finally {
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(); // esbuild's process would keep this one

/** Packs a folder of files as npm does. Returns the path of the package. */
async function pack(folder: string): Promise<string> {
  const files = (await Array.fromAsync(filesBelow(folder))).map((path) => relative(folder, path)).sort();
  const entries = await Promise.all(files.map(async (name) => {
    const body = await Deno.readFile(`${folder}/${name}`);
    return { header: { name: `${INSIDE}/${name}`, size: body.length, mode: 0o644, mtime: MODIFIED }, body };
  }));
  await Deno.mkdir(TARGET, { recursive: true });
  const path = `${TARGET}${basename(folder)}-${VERSION}.tgz`;
  await Deno.writeFile(path, gzipSync(await packTar(entries), { level: 9 })); // as npm does
  return path;
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* filesBelow(path);
    else yield path;
  }
}
