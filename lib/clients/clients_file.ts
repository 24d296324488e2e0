import { z } from "zod";
import type { CheckedClients, ClientSettings } from "../config/client_settings.ts";
import { audiences } from "../config/audiences.ts";
import { type ClientFields, clientProblems, ClientSchema, registeredClient } from "./client_schema.ts";
import { listOf } from "./file_fields.ts";
import { fileSentence, issueSentence } from "./file_sentences.ts";
import { OWN_SCOPES } from "./own_scopes.ts";
import { type Resource, SERVICE_GRANT } from "../config/registered_client.ts";
import { SERVICE_SCOPES } from "../schemas/scopes.ts";
import { type ResourceFields, resourceOf, resourceProblems, ResourceSchema } from "./resource_schema.ts";

const FileSchema = z.strictObject({
  clients: listOf(z.unknown()),
  resources: listOf(z.unknown()).default([]),
}, { error: "must be an object with clients and resources" });

/** Checks the content of CLIENTS_FILE. The problems of one field hide no others. */
export function checkClientsFile(content: string, settings: ClientSettings): CheckedClients {
  const { value, problems } = parseJson(content);
  const file = problems.length > 0 ? null : lenient(FileSchema, value, { at: "", standIn: { clients: [] }, problems });
  const resources = (file?.resources ?? []).flatMap((raw, index) => resourceIn(raw, index, { settings, problems }));
  problems.push(...repeated(resources.map(({ position, uri }) => [`${position}.resource`, uri])));
  const byUri = new Map([
    ...audiences(settings).map((resource) => [resource.uri, resource] as const),
    ...resources.map(({ position: _, ...resource }) => [resource.uri, resource] as const),
  ]);
  const named = (file?.resources ?? []).map(namesIn);
  const known = {
    scopes: new Set([...OWN_SCOPES, ...SERVICE_SCOPES, ...named.flatMap(({ scopes }) => scopes)]),
    resources: new Set([...byUri.keys(), ...named.flatMap(({ uris }) => uris)]),
  };
  const clients = (file?.clients ?? []).flatMap((raw, index) => clientIn(raw, index, { ...known, problems }));
  problems.push(...repeated(clients.map(({ position, client_id: id }) => [`${position}.client_id`, id])));
  return {
    registrations: {
      clients: new Map(clients.map((client) => {
        const isPublic = client.client_secret_hashes.length === 0;
        return [client.client_id, registeredClient(client, { ...settings, isPublic })];
      })),
      resources: byUri,
    },
    problems,
  };
}

function parseJson(content: string): { value?: unknown; problems: string[] } {
  try {
    return { value: JSON.parse(content), problems: [] };
  } catch (error) {
    return { problems: [`is not JSON: ${(error as Error).message}`] };
  }
}

function resourceIn(
  raw: unknown,
  index: number,
  { settings, problems }: { settings: ClientSettings; problems: string[] },
): (Resource & { position: string })[] {
  const position = `resources[${index}]`;
  const standIn = { resource: `https://resource-${index}.invalid`, name: position } satisfies Partial<ResourceFields>;
  const fields = lenient(ResourceSchema, raw, { at: position, standIn, problems });
  if (fields === null) return [];
  problems.push(
    ...resourceProblems(fields, settings.baseUrl).map(([path, problem]) => `${position}${path}: ${problem}`),
  );
  return [{ ...resourceOf(fields), position }];
}

/** What clients may name, also if something else is wrong with the resource. */
function namesIn(raw: unknown): { uris: string[]; scopes: string[] } {
  const { resource, scopes } = Object(raw);
  return { uris: typeof resource === "string" ? [resource] : [], scopes: Object.keys(Object(scopes)) };
}

function clientIn(
  raw: unknown,
  index: number,
  { problems, ...known }: { scopes: Set<string>; resources: Set<string>; problems: string[] },
): (ClientFields & { position: string })[] {
  const position = `clients[${index}]`;
  const standIn = { client_id: `client-${index}.invalid`, client_name: position };
  const fields = lenient(ClientSchema, raw, { at: position, standIn, problems });
  if (fields === null) return [];
  // Also with a hash that is wrong: the client was meant to have a secret.
  const { client_secret_hashes: secrets } = raw as { client_secret_hashes?: unknown };
  const isPublic = secrets === undefined || (Array.isArray(secrets) && secrets.length === 0);
  const found = clientProblems(fields, { ...known, isPublic });
  problems.push(...found.map(([path, problem]) => `${position}${path}: ${fileSentence(problem)}`));
  if (isPublic && !fields.require_pkce) {
    problems.push(`${position}.require_pkce: may be false only if the client has a secret`);
  }
  if (isPublic && fields.grant_types.includes(SERVICE_GRANT)) {
    problems.push(`${position}.grant_types: may have ${SERVICE_GRANT} only if the client has a secret`);
  }
  return [{ ...fields, position }];
}

/**
 * Parses a value and adds its problems. The fields that are right are returned even if others are wrong, so that one
 * message lists every problem. Wrong ones get their defaults. Returns null for what is not an object.
 */
function lenient<Schema extends z.ZodObject>(
  schema: Schema,
  raw: unknown,
  { at, standIn, problems }: { at: string; standIn: Record<string, unknown>; problems: string[] },
): z.output<Schema> | null {
  const { data, error } = schema.safeParse(raw);
  if (data !== undefined) return data;
  problems.push(...error!.issues.flatMap((issue) => problemsOf(issue, at)));
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return null;
  const wrong = new Set(error!.issues.map(({ path }) => path[0]));
  const right = Object.entries(raw).filter(([name]) => Object.hasOwn(schema.shape, name) && !wrong.has(name));
  return schema.parse({ ...standIn, ...Object.fromEntries(right) });
}

function problemsOf(issue: z.core.$ZodIssue, at: string): string[] {
  const position = positionOf(at, issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${positionOf(position, [key])}: is not a field${HINTS[key] ?? ""}`);
  }
  const sentence = issueSentence(issue);
  return [position === "" ? sentence : `${position}: ${sentence}`];
}

/** What to do about fields that people expect here. */
const HINTS: Record<string, string> = {
  client_secret: ": the file holds no secrets. Put the hash of the secret into client_secret_hashes",
};

function positionOf(at: string, path: PropertyKey[]): string {
  return path.reduce<string>((position, key) => {
    if (typeof key === "number") return `${position}[${key}]`;
    if (!/^\w+$/.test(String(key))) return `${position}[${JSON.stringify(key)}]`;
    return position === "" ? String(key) : `${position}.${String(key)}`;
  }, at);
}

/** Returns a problem for each value that an entry before has. */
function repeated(entries: [position: string, value: string][]): string[] {
  const first = new Map<string, string>();
  return entries.flatMap(([position, value]) => {
    const other = first.get(value);
    if (other === undefined) first.set(value, position);
    return other === undefined ? [] : [`${position}: is the same as ${other}`];
  });
}
