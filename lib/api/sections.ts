import { methodAndPath } from "./entry.ts";

/** A part of the API document. */
interface Section {
  name: string;
  description: string;
  /** It has the endpoints at and below these paths, in this order, unless a longer path in this table covers them. */
  paths: string[];
}

/** The parts of the API document, in the order in which it shows them. */
export const SECTIONS: Section[] = [
  {
    name: "Sign-in",
    description: "How people sign in and prove who they are",
    paths: ["/auth/register", "/auth/verify-email", "/auth/resend-verification", "/auth/login", "/auth"],
  },
  {
    name: "Second factor",
    description: "Authenticator apps and recovery codes",
    paths: ["/auth/second-factor", "/api/totp"],
  },
  {
    name: "Passkeys",
    description: "Logging in without a password",
    paths: ["/auth/passkey", "/api/passkeys"],
  },
  {
    name: "People",
    description: "Your own profile, and those of others",
    paths: ["/api/profile", "/api/users"],
  },
  { name: "Account", description: "Your own account", paths: ["/api/account"] },
  {
    name: "Tokens",
    description: "Programs that act for you, and products that use Foyer",
    paths: ["/api/tokens", "/auth/check", "/auth/token"],
  },
  { name: "Discovery", description: "What apps read before they sign people in", paths: ["/.well-known"] },
  { name: "Apps", description: "What apps call that sign people in", paths: ["/oauth"] },
  { name: "Uploads", description: "Photos and files", paths: ["/api/upload", "/api/uploads"] },
  { name: "Administration", description: "The accounts of everyone, for admins", paths: ["/api/admin"] },
  { name: "Webhooks", description: "Where events are sent, for admins", paths: ["/api/admin/webhooks"] },
  { name: "Service", description: "The service itself", paths: ["/api/health", "/api/openapi.json"] },
];

/**
 * Returns the name of the part that has a path.
 *
 * @throws {Error} if there is none.
 */
export function sectionOf(path: string): string {
  return SECTIONS[placeOf(path)[0]].name;
}

/** Sorts endpoints, by method and path, by their part and the paths that it lists. */
export function inOrder<Value>(endpoints: [key: string, Value][]): [key: string, Value][] {
  const places = new Map(endpoints.map(([key]) => [key, placeOf(methodAndPath(key).path)]));
  return endpoints.toSorted(([a], [b]) => {
    const [[sectionA, pathA], [sectionB, pathB]] = [places.get(a)!, places.get(b)!];
    return sectionA - sectionB || pathA - pathB;
  });
}

/** Returns the indexes of a part and of the longest of its paths that covers this one. */
function placeOf(path: string): [section: number, path: number] {
  const covering = SECTIONS.flatMap(({ paths }, section) => paths.map((prefix, index) => ({ prefix, section, index })))
    .filter(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  if (covering.length === 0) {
    throw new Error(`No part of the API document has this path, see lib/api/sections.ts: ${path}`);
  }
  const { section, index } = covering.reduce((a, b) => b.prefix.length > a.prefix.length ? b : a);
  return [section, index];
}
