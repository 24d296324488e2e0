import { hasUploads, isScopeOff, type UploadsSetting } from "../../../lib/config/uploads_setting.ts";
import type { Scope } from "../../../lib/schemas/scopes.ts";
import type { Texts } from "../../../lib/texts/texts.ts";

/** Says what each scope of an API token allows. Those that UPLOADS has switched off allow nothing. */
export function tokenScopeTexts(
  scopes: Scope[],
  { config, texts: { scopes: texts, uploadPhotos } }: { config: UploadsSetting; texts: Texts["tokens"] },
): [Scope, string][] {
  const own = { ...texts, ...!hasUploads(config, "files") && { "uploads:write": uploadPhotos } };
  return scopes.filter((scope) => !isScopeOff(config, scope)).map((scope) => [scope, own[scope]]);
}
