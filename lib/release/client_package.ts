import { build } from "esbuild";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { PACKAGE } from "../config/command_name.ts";
import { OPERATIONS } from "../client/operations.ts";
import { VERSION } from "../version.ts";

/** The name of the client library at npm, and in its documents. */
export const CLIENT_PACKAGE = "foyer-client";
const SOURCES = new URL("../client/", import.meta.url);
/** What can be imported: `foyer-client`, and each of the others by its name. */
const MAIN = "foyer";
const OTHERS = ["browser", "express", "fresh", "hono", "next", "test"];
const PACKAGES = ["jose"];
/** Where a Foyer on the own machine serves its documents. */
const DOCUMENTS = "http://localhost:8000/docs/";
const RELATIVE_LINK = /\]\((?!https?:|#)/g;

/**
 * Writes the folder of the client library: JavaScript for Node, Deno, Bun and edge workers, and its types, which are
 * made from the API document.
 *
 * @param document the API document, as JSON.
 */
export async function writeClientPackage(folder: string, document: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const entries = [MAIN, ...OTHERS];
  await build({
    entryPoints: entries.map((name) => new URL(`${name}.ts`, SOURCES).pathname),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    charset: "utf8",
    external: ["node:*", ...PACKAGES],
    logLevel: "warning",
  });
  for (const name of entries) {
    const path = `${folder}/${name}.js`;
    await writeText(path, `// @ts-self-types="./${name}.d.ts"\n${await Deno.readTextFile(path)}`); // for Deno
  }
  await writeTypes(folder, document);
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  await writeText(`${folder}/package.json`, JSON.stringify(manifest(entries, imports), null, 2));
  const readme = await Deno.readTextFile(new URL("../../docs/client.md", import.meta.url));
  await writeText(`${folder}/README.md`, readme.replaceAll(RELATIVE_LINK, `](${DOCUMENTS}`));
  await Deno.copyFile(new URL("../../LICENSE", import.meta.url), `${folder}/LICENSE`);
}

function manifest(entries: string[], imports: Record<string, string>) {
  return {
    name: CLIENT_PACKAGE,
    version: VERSION,
    description: "Sign people in with Foyer, and call its API",
    license: "MIT",
    type: "module",
    engines: { node: ">=20" },
    sideEffects: false,
    exports: Object.fromEntries(entries.map((name) => [
      name === MAIN ? "." : `./${name}`,
      { types: `./${name}.d.ts`, default: `./${name}.js` },
    ])),
    dependencies: Object.fromEntries(PACKAGES.map((name) => [name, imports[name].split("@").at(-1)])),
    peerDependencies: { [PACKAGE]: VERSION },
    peerDependenciesMeta: { [PACKAGE]: { optional: true } },
  };
}

async function writeTypes(folder: string, document: string): Promise<void> {
  for await (const { name } of Deno.readDir(SOURCES)) {
    if (!name.endsWith(".ts") || name === "operations.ts") continue;
    const source = await Deno.readTextFile(new URL(name, SOURCES));
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, { fileName: name });
    if (diagnostics.length > 0) throw new Error(`${name}: ${ts.formatDiagnostics(diagnostics, DIAGNOSTICS)}`);
    await writeText(
      `${folder}/${name.replace(/ts$/, "d.ts")}`,
      outputText.replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.js"'),
    );
  }
  await writeText(`${folder}/document.d.ts`, astToString(await openapiTS(withoutErrors(JSON.parse(document)))));
  const names = Object.keys(OPERATIONS).map((name) => `"${name}"`).join(" | ");
  await writeText(`${folder}/operations.d.ts`, `${OPERATION_TYPES}type Name = ${names};\n`);
}

/** Without errors and headers, which are the same everywhere: their types would be twenty times as long as the rest. */
function withoutErrors(document: ApiDocument): string {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  for (const operation of operations) {
    const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
    operation.responses = Object.fromEntries(successes.map(([status, { headers: _, ...rest }]) => [status, rest]));
  }
  return JSON.stringify(document);
}

/** The part of an API document that changes here. */
interface ApiDocument {
  paths: Record<string, Record<string, { responses: Record<string, Record<string, unknown>> }>>;
}

/** Takes from the types of the document what the library shows: one object in, one out. */
const OPERATION_TYPES = `import type { operations, webhooks } from "./document.js";

type Part<T> = [NonNullable<T>] extends [never] ? object : NonNullable<T>;
type Content<T> = [T] extends [never] ? object
  : T extends { content: { "application/json": infer Json } } ? Json
  : T extends { content: { "multipart/form-data": infer Form } } ? { [Field in keyof Form]: Field extends "file" ? Blob : Form[Field] }
  : object;
type Answer<Responses, Status> = Status extends keyof Responses
  ? Responses[Status] extends { content: { "application/json": infer Json } } ? Json : undefined
  : never;
type Input<O extends operations[Name]> = Part<O["parameters"]["path"]> & Part<O["parameters"]["query"]> &
  Content<NonNullable<O["requestBody"]>>;

export declare const OPERATIONS: Record<string, string>;
export declare const SCOPES: string[];

/** What an operation takes and returns, by its name. */
export type Operations = {
  [Each in Name]: {
    input: Input<operations[Each]>;
    output: Answer<operations[Each]["responses"], 200 | 201 | 202 | 204>;
  };
};

/** What a webhook gets. The same event can come more than once, with the same id. */
export type WebhookEvent = {
  [Kind in keyof webhooks]: { id: string } & Content<webhooks[Kind]["post"]["requestBody"]>;
}[keyof webhooks];

`;

const DIAGNOSTICS = {
  getCanonicalFileName: (name: string) => name,
  getCurrentDirectory: () => "",
  getNewLine: () => "\n",
};

async function writeText(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(path, text.endsWith("\n") ? text : `${text}\n`);
}
