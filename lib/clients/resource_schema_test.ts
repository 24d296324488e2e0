import { deepStrictEqual } from "node:assert/strict";
import { checkClientsFile } from "./clients_file.ts";

const API = { resource: "https://api.example.com", name: "API", scopes: { "notes:read": "See your notes" } };
const SETTINGS = {
  baseUrl: "https://foyer.example",
  tokenAudiences: ["https://wiki.example.com", "wiki"],
  accessTtlSeconds: 300,
  uploads: "on" as const,
};
const READABLE = "must be one line of 1 to 100 characters that people can read";

function check(clients: object[], resources: object[]) {
  const named = clients.map((client) => ({ client_id: "app", client_name: "App", ...client }));
  return checkClientsFile(JSON.stringify({ clients: named, resources }), SETTINGS);
}

Deno.test("each wrong field of a resource has one problem, with its position", () => {
  const web = "must be https, or http on 127.0.0.1, [::1] or localhost";
  const text = "must be one line of 1 to 200 characters that people can read";
  const scope = "must be 1 to 100 ASCII characters without spaces, quotes and backslashes";
  const cases: [field: string, value: unknown, problem: string, at?: string][] = [
    ["resource", "http://api.example.com", web],
    ["resource", "urn:api", web],
    ["resource", "https://api.example.com#a", "must have no fragment"],
    ["resource", "https://foyer.example", "must not be the address of this service"],
    ["resource", "https://foyer.example/", "must not be the address of this service"],
    ["resource", undefined, "is required"],
    ["name", "", READABLE],
    ["name", undefined, "is required"],
    ["scopes", [], "must be an object"],
    ["scopes", { "a b": "x" }, scope, '["a b"]'],
    ["scopes", { 'a"': "x" }, scope, '["a\\""]'],
    ["scopes", { "a\\": "x" }, scope, '["a\\\\"]'],
    ["scopes", { openid: "x" }, "is a scope of this service", ".openid"],
    ["scopes", { "uploads:read": "x" }, "is a scope of this service", '["uploads:read"]'],
    ["scopes", { admin: "x" }, "is a scope of this service", ".admin"],
    ["scopes", { groups: "x" }, "is a scope of this service", ".groups"],
    ["scopes", { a: "" }, text, ".a"],
    ["scopes", { a: "x".repeat(201) }, text, ".a"],
    ["scopes", { a: 1 }, "must be a text", ".a"],
    ["scopes", { a: {} }, "must have a text", ".a"],
    ["scopes", { a: { de: "" } }, text, ".a.de"],
    ["scopes", { a: { "de DE": "x" } }, "must be named by a language, such as de or pt-BR", '.a["de DE"]'],
    ["default_scopes", ["notes:read", "openid"], "is not one of its scopes", "[1]"],
    ["claims", ["role"], "must be email, email_verified, name or groups", "[0]"],
    [
      "groups",
      ["Editors"],
      "must be 1 to 40 lowercase letters, digits, dots, hyphens and underscores, the first a letter or digit",
      "[0]",
    ],
    ["agents", "yes", "must be true or false"],
    ["scope", "notes:read", "is not a field"],
  ];
  for (const [field, value, problem, at = ""] of cases) {
    const { problems } = check([], [{ ...API, [field]: value }]);
    deepStrictEqual(problems, [`resources[0].${field}${at}: ${problem}`], `${field} ${JSON.stringify(value)}`);
  }
});

Deno.test("resources have scopes with texts; URIs in TOKEN_AUDIENCES are resources too", () => {
  const scopes = { "notes:read": { en: "See your notes", de: "Deine Notizen sehen" }, "notes:write": "Change them" };
  const api = {
    ...API,
    scopes,
    default_scopes: ["notes:read"],
    claims: ["email", "name"],
    groups: ["staff"],
    agents: true,
  };
  const { registrations: { resources }, problems } = check([{ scope: "openid notes:write" }], [api]);
  deepStrictEqual(problems, []);
  deepStrictEqual([...resources], [
    ["https://wiki.example.com", {
      uri: "https://wiki.example.com",
      name: "wiki.example.com",
      scopes: new Map(),
      defaultScopes: [],
      claims: [],
      groups: [],
      isForAgents: false,
    }],
    ["https://api.example.com", {
      uri: "https://api.example.com",
      name: "API",
      scopes: new Map(Object.entries(scopes)),
      defaultScopes: ["notes:read"],
      claims: ["email", "name"],
      groups: ["staff"],
      isForAgents: true,
    }],
  ]);
  const own = check([], [{ ...API, resource: "https://wiki.example.com" }]).registrations.resources;
  deepStrictEqual([...own.values()].map(({ name }) => name), ["API"], "the file describes it better");
});
