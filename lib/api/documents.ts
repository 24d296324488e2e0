import { createHash } from "node:crypto";
import type { Config } from "../config/config.ts";

/** A text for programs, and its entity tag. */
export interface ProgramText {
  text: string;
  etag: string;
}

const FOLDER = new URL("../../docs/", import.meta.url);
/** The document that names all others. */
const MAP = "README.md";
const OVERVIEW_OF_PROGRAMS = "connect/README.md";
/** A link or an image. Captures its text and where it leads. */
const LINK = /!?\[([^\]]*)\]\(([^)\s]+)\)/g;

/** What the documents call the service. */
const EXAMPLE_URL = /http:\/\/localhost:8000(?!\d)/g;

const documents = new WeakMap<Config, ReadonlyMap<string, ProgramText>>();
const overviews = new WeakMap<Config, ProgramText>();

/**
 * Returns a document of docs/ as Markdown; null if the map names none with this path. Its links lead to other
 * documents; what would lead elsewhere is plain text. Its examples have the address of this service.
 *
 * @param path below docs/, such as `connect/README.md`.
 */
export function findDocument(path: string, config: Config): ProgramText | null {
  const known = documents.get(config) ?? readDocuments(config);
  documents.set(config, known);
  return known.get(path) ?? null;
}

/** Returns /llms.txt: what the service is, how to integrate it, and the documents. Source: llmstxt.org. */
export function overviewForPrograms(config: Config): ProgramText {
  const known = overviews.get(config);
  if (known !== undefined) return known;
  const made = tagged(writeOverview(config));
  overviews.set(config, made);
  return made;
}

/** Only what the map names is read, so a request cannot name another file. */
function readDocuments({ baseUrl }: Config): ReadonlyMap<string, ProgramText> {
  const paths = [MAP, OVERVIEW_OF_PROGRAMS].flatMap((path) => [path, ...linkedFrom(path, read(path))]);
  const closed = new Set(paths);
  return new Map([...closed].map((path) => {
    const text = withoutForeignLinks(path, read(path), closed);
    return [path, tagged(text.replaceAll(EXAMPLE_URL, baseUrl))];
  }));
}

function read(path: string): string {
  return Deno.readTextFileSync(new URL(path, FOLDER));
}

/** Returns the paths of the documents that a document links to. */
function linkedFrom(path: string, text: string): string[] {
  return [...text.matchAll(LINK)].map(([, , target]) => pathOf(target, path)).filter((each) => each !== null);
}

/** Returns the path of a linked document; null for what is elsewhere. */
function pathOf(target: string, from: string): string | null {
  const { href } = new URL(target.split("#")[0], new URL(from, FOLDER));
  return href.startsWith(FOLDER.href) && href.endsWith(".md") ? href.slice(FOLDER.href.length) : null;
}

function withoutForeignLinks(path: string, text: string, served: Set<string>): string {
  return text.replaceAll(LINK, (link, label: string, target: string) => {
    if (/^(https?:|#)/.test(target)) return link;
    const linked = pathOf(target, path);
    return linked !== null && served.has(linked) ? link : label;
  });
}

function tagged(text: string): ProgramText {
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url")}"` };
}

function writeOverview({ baseUrl, brand }: Config): string {
  // One line for each entry, with addresses that need no base.
  const map = read(MAP).replace(/^# .*\n/, "").replaceAll(/\n {2,}/g, " ").replaceAll("](", `](${baseUrl}/docs/`)
    .trim();
  return `# ${brand.name}

> Foyer, the service at ${baseUrl}, keeps the accounts of a web product: login, profiles, files, and OpenID Connect for
> other programs. People use its pages; programs use its JSON API.

## How to integrate

1. Your product is on the same domain: install \`foyer-client\` and call \`createFoyer({ url: "${baseUrl}", origin })\`.
2. \`await foyer.session(request)\` returns the person or null. Send guests to \`foyer.loginUrl(path)\`, and name your origin in RETURN_ORIGINS.
3. Your product is elsewhere, or on a phone: use any OpenID Connect library with the issuer ${baseUrl} and a client in CLIENTS_FILE.
4. Key your data by the id of the person (\`user.id\`, \`sub\`). Addresses and names change.
5. For everything else, ${baseUrl}/api/openapi.json describes the API, and \`startFoyer\` in \`foyer-client/test\` starts one for your tests.

${map}
`;
}
