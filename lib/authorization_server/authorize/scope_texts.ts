import { type Language, textsIn } from "../../texts/texts.ts";
import { hasUploads, isScopeOff, type UploadsSetting } from "../../config/uploads_setting.ts";
import type { Resource } from "../../config/registered_client.ts";

/** Resources that an app gets access tokens for, each with the scopes that it gets there. */
export type UsedResource = [resource: Resource, scopes: string[]];

/**
 * Says in words what each scope allows, and for which resources an app gets access tokens.
 *
 * @param options.scopes those of no resource.
 */
export function scopeTexts(
  { scopes, resources }: { scopes: string[]; resources: UsedResource[] },
  language: Language,
  config: UploadsSetting,
): string[] {
  const { scopes: texts, profileWithoutPhoto, addPhotos } = textsIn(language).authorize;
  const own: Partial<Record<string, string>> = {
    ...texts,
    ...!hasUploads(config, "photos") && { profile: profileWithoutPhoto },
    ...!hasUploads(config, "files") && { "uploads:write": addPhotos },
  };
  return [
    // Some may have been allowed before UPLOADS switched them off.
    ...scopes.filter((scope) => !isScopeOff(config, scope)).map((scope) => own[scope] ?? scope),
    ...resources.flatMap(([resource, scopes]) => textsOfResource(resource, scopes, language)),
  ];
}

function textsOfResource(resource: Resource, scopes: string[], language: Language): string[] {
  const { authorize } = textsIn(language);
  const { name } = resource;
  const own = scopes.filter((scope) => resource.scopes.has(scope));
  if (own.length === 0) return [authorize.useResource({ name })];
  return own.map((scope) => authorize.ofResource({ name, text: textOf(resource, scope, language) }));
}

/** The operator's text in this language, else in English, else in the first one. */
function textOf({ scopes }: Resource, scope: string, { tag }: Language): string {
  const text = scopes.get(scope) ?? scope;
  if (typeof text === "string") return text;
  return text[tag] ?? text.en ?? Object.values(text)[0] ?? scope;
}
