import { EVENT_KINDS, eventKindsIn } from "../activity/kinds.ts";
import { hasUploads, isScopeOff, type UploadsSetting } from "../config/uploads_setting.ts";
import { SCOPES } from "../schemas/scopes.ts";

/** The fields and headers about photos and files. */
const NAMES = ["avatar", "picture", "X-Foyer-User-Picture", "storage", "uploads"];

/**
 * Returns a part of the document without the fields, headers and values of what UPLOADS switches off. Lists may still
 * have such a value from before, such as the kind of an event.
 */
export function leaveOut<Part>(part: Part, config: UploadsSetting): Part {
  const values = new Set<unknown>([
    // Images that are no photos of people.
    ...hasUploads(config, "files") ? [] : ["post"],
    ...SCOPES.filter((scope) => isScopeOff(config, scope)),
    ...new Set(EVENT_KINDS).difference(new Set(eventKindsIn(config))),
  ]);
  return without(part, { names: namesLeftOut(config), values }) as Part;
}

/** Returns the body of a response without the fields that the document leaves out. */
export function withoutFields<Body>(body: Body, config: UploadsSetting): Body {
  const names = namesLeftOut(config);
  return names.length === 0 ? body : without(body, { names, values: new Set() }) as Body;
}

function namesLeftOut(config: UploadsSetting): readonly string[] {
  return hasUploads(config, "photos") ? [] : NAMES;
}

function without(part: unknown, left: { names: readonly string[]; values: ReadonlySet<unknown> }): unknown {
  const { names, values } = left;
  if (Array.isArray(part)) {
    const kept = part.filter((item) => !values.has(item) && !names.includes(item) && !values.has(Object(item).kind));
    return kept.map((item) => without(item, left));
  }
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).filter(([name]) => !names.includes(name)).map(([name, value]) => [name, without(value, left)]),
  );
}
