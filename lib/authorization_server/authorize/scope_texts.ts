import { type Language, textsIn } from "../../texts/texts.ts";
import type { Resource } from "../registered_client.ts";

/** Says in words what each scope allows, and for which resources an app gets access tokens. */
export function scopeTexts(
  { scopes, resources }: { scopes: string[]; resources: Resource[] },
  language: Language,
): string[] {
  const { authorize } = textsIn(language);
  const own: Partial<Record<string, string>> = authorize.scopes;
  const others = scopes.filter((scope) => !resources.some((resource) => resource.scopes.has(scope)));
  return [
    ...others.map((scope) => own[scope] ?? scope),
    ...resources.flatMap((resource) => textsOfResource(resource, scopes, language)),
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
