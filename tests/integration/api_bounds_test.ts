import { ok } from "node:assert/strict";
import fc from "fast-check";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { publishedDocument } from "../../lib/api/document.ts";
import { FORM, type OperationObject } from "../../lib/api/operation_object.ts";
import type { JsonSchema } from "../../lib/api/schemas.ts";
import { saveGroup } from "../../lib/groups/group.ts";
import { registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { inside, type KnownValues, outside } from "../support/random/documented_inputs.ts";
import { quarters } from "../support/images/pictures.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const AUDIENCE = "https://wiki.example.com";
/** This test does not follow the redirects to it. */
const PROVIDER = "github";
const RUNS = 12;

const app = await openSharedTestApp({
  LOGIN_MAX_ATTEMPTS: "0",
  SIGN_IN_CODES: "true",
  TOKEN_AUDIENCES: AUDIENCE,
  IDP_AUTH_URL: "https://id.example/authorize",
  IDP_TOKEN_URL: "https://id.example/token",
  IDP_USERINFO_URL: "https://id.example/userinfo",
  IDP_CLIENT_ID: "foyer",
  IDP_PROVIDERS: PROVIDER,
  IDP_GITHUB_CLIENT_ID: "foyer",
  IDP_GITHUB_CLIENT_SECRET: "secret",
});
const { document } = await publishedDocument(app.services);
const member = await registerVerifiedUser(app, "member@example.com");
const other = await registerUser(app, "other@example.com");
await app.services.db.updateTable("users").set({ role: "admin" }).where("id", "=", member.id).execute();
const { nextCursor } = await (await member.client.get("/api/users?limit=1")).json();
const photo = new Blob([await quarters().png().toBuffer() as BlobPart], { type: "image/png" });

await saveGroup(app.services, { name: "staff", title: "Staff", by: COMMAND_LINE });
const APP = "https://app.example.com/in";

/** Only the installation knows these, or no schema can say what they must be. */
const KNOWN: KnownValues = {
  cursor: fc.constant(nextCursor),
  user: fc.constant(member.id),
  actor: fc.constantFrom(member.id, "command line"),
  audience: fc.constant(AUDIENCE),
  language: fc.constantFrom(...app.services.languages.byTag.keys()),
  file: fc.constant(photo),
  next: fc.constantFrom("/settings/apps?from=here", "http://foyer.test/"),
  scope: fc.constantFrom("openid", "openid email"),
  resources: fc.constantFrom([], [AUDIENCE]),
  groups: fc.constantFrom(["staff"], ["staff", "staff"]),
  ...Object.fromEntries(
    ["redirect_uris", "post_logout_redirect_uris"].map((name) => [name, fc.constantFrom([], [APP])]),
  ),
  ...Object.fromEntries(
    ["backchannel_logout_uri", "client_uri", "policy_uri", "tos_uri"].map((name) => [name, fc.constant(APP)]),
  ),
  origins: fc.constantFrom([], [new URL(APP).origin]),
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
);

for (const { method, path, operation } of operations) {
  const schema = inputOf(operation);
  if (schema === null) continue;
  // Apps send forms, which are read by the rules of OAuth.
  if (operation.requestBody?.content[FORM] !== undefined) continue;
  const send = sender({ method, path, operation });

  Deno.test(`${method} ${path} accepts what the document describes`, async () => {
    await fc.assert(
      fc.asyncProperty(inside(schema, KNOWN), async (value) => {
        const answer = await send(value);
        ok(!refusesForm(answer), JSON.stringify(answer));
        ok(answer.status < 500, JSON.stringify(answer));
      }),
      { numRuns: RUNS },
    );
  });

  if (isFree(schema)) continue;
  Deno.test(`${method} ${path} refuses what is one step outside the document`, async () => {
    await fc.assert(
      fc.asyncProperty(outside(schema, KNOWN), async (value) => {
        const answer = await send(value);
        ok(refusesForm(answer) || answer.status === 413, JSON.stringify(answer));
      }),
      { numRuns: 2 * RUNS },
    );
  });
}

/** The body of an operation, or else its query, as one schema. */
function inputOf({ requestBody, parameters }: OperationObject): JsonSchema | null {
  const [media] = Object.values(requestBody?.content ?? {});
  if (media) return media.schema;
  const query = parameters.filter((each) => each.in === "query");
  if (query.length === 0) return null;
  const properties = Object.fromEntries(
    query.map(({ name, description, schema }) => [name, { ...schema, description, inQuery: true }]),
  );
  return { type: "object", properties: properties as JsonSchema["properties"], required: [] };
}

/** Whether any text is accepted. Other parameters of a page are ignored. */
function isFree({ properties = {} }: JsonSchema): boolean {
  return Object.values(properties as Record<string, JsonSchema>).every(({ type: _, description, inQuery, ...bounds }) =>
    Object.keys(bounds).length === 0 && (description === undefined || inQuery)
  );
}

interface Answer {
  status: number;
  code?: string;
  details?: Record<string, string[]>;
}

/** Refusals that depend on more than the form of the input. */
const OTHER_REFUSALS: Record<string, string> = {
  avatar: "Must be an https address or a file stored here",
  credential: "Could not be verified. Ask for new options and try again",
  currentPassword: "Required",
  provider: "Unknown provider",
  url: "Must be an https address on the public Internet, or one of a host in WEBHOOK_PRIVATE_HOSTS",
};

/** Whether the API refused the form of the input. */
function refusesForm({ code, details = {} }: Answer): boolean {
  return code === "INVALID_JSON" ||
    code === "VALIDATION_FAILED" &&
      Object.entries(details).some(([field, problems]) => problems.join() !== OTHER_REFUSALS[field]);
}

/**
 * Returns what sends an input: with the member's session if one is needed, and each time with a new jar for cookies.
 */
function sender({ method, path, operation }: typeof operations[number]): (value: unknown) => Promise<Answer> {
  // A successful login of another user would end the member's session.
  const isPublic = operation.security.some((scheme) => Object.keys(scheme).length === 0);
  return async (value) => {
    const client = app.client();
    for (const [name, cookie] of isPublic ? [] : member.client.cookies) client.cookies.set(name, cookie);
    const isMultipart = operation.requestBody?.content["multipart/form-data"] !== undefined;
    const fields = Object.entries(value as Record<string, unknown>);
    const texts = fields.map(([name, each]) => [name, each instanceof Blob ? each : String(each)] as const);
    const target = path.replace("{key}", PROVIDER).replaceAll(
      /\{\w+\}/g,
      path.startsWith("/api/admin/") ? other.id : member.id,
    );
    const form = new FormData();
    if (isMultipart) { for (const [name, each] of texts) form.set(name, each); }
    const response = operation.requestBody === undefined
      ? await client.get(`${target}?${new URLSearchParams(texts as [string, string][])}`)
      : isMultipart
      ? await client.request(target, { method, body: form })
      : await client.request(target, {
        method,
        body: JSON.stringify(value),
        headers: { "Content-Type": "application/json" },
      });
    ok(isPublic || response.status !== 401, "The session ended");
    const text = await response.text();
    const { code, details } = text.startsWith("{") ? JSON.parse(text) : {};
    return { status: response.status, code, details };
  };
}
