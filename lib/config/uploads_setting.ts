/** What the setting UPLOADS may be. */
export const UPLOADS_CHOICES = ["on", "photos", "off"] as const;

/** A configuration, as far as it says what people may store. */
export interface UploadsSetting {
  uploads: typeof UPLOADS_CHOICES[number];
}

/** What the setting can switch off: photos of people, and everything else that they store. */
export const UPLOAD_PARTS = ["photos", "files"] as const;
export type UploadPart = typeof UPLOAD_PARTS[number];

/** Whether people may store this. Where there are files, there are photos. */
export function hasUploads({ uploads }: UploadsSetting, part: UploadPart): boolean {
  return uploads === "on" || uploads === part;
}

/** Whether the setting leaves nothing that a scope allows. Photos are uploaded with `uploads:write`. */
export function isScopeOff(setting: UploadsSetting, scope: string): boolean {
  if (scope === "uploads:read") return !hasUploads(setting, "files");
  return scope === "uploads:write" && !hasUploads(setting, "photos");
}
