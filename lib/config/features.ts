import { AppError } from "../errors/errors.ts";
import { hasUploads, type UploadPart, type UploadsSetting } from "./uploads_setting.ts";
import type { Config } from "./config.ts";

/**
 * Requires that SIGN_IN_CODES is on.
 *
 * @throws {AppError} NOT_FOUND.
 */
export function requireSignInCodes({ signInCodes }: Config): void {
  if (!signInCodes) throw new AppError("NOT_FOUND", { reason: "signInCodes" });
}

/**
 * Requires that CLIENTS_FILE registers apps.
 *
 * @throws {AppError} NOT_FOUND.
 */
export function requireRegistrations({ registrations }: Config): void {
  if (registrations === null) throw new AppError("NOT_FOUND", { reason: "page" });
}

/**
 * Requires that products may get access tokens.
 *
 * @throws {AppError} NOT_FOUND when TOKEN_AUDIENCES names none.
 */
export function requireAudiences({ tokenAudiences }: Config): void {
  if (tokenAudiences.length === 0) throw new AppError("NOT_FOUND", { reason: "accessTokens" });
}

/**
 * Requires that UPLOADS leaves this part.
 *
 * @throws {AppError} NOT_FOUND, as at an address that does not exist.
 */
export function requireUploads(setting: UploadsSetting, part: UploadPart | undefined): void {
  if (part !== undefined && !hasUploads(setting, part)) throw new AppError("NOT_FOUND", { reason: "page" });
}
