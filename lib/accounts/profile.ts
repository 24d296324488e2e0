import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { keepAvatar, releaseAvatar, storedAvatar } from "../uploads/shown_photo.ts";
import { type Caller, eventBy } from "../access/principal.ts";
import { lockUser } from "../users/user_lock.ts";
import { type FullUserRow, type User, userOfRow } from "../users/user_row.ts";
import { updateUser } from "../users/user_changes.ts";
import { recordUpdate } from "../activity/events.ts";
import { AppError, validationFailed } from "../errors/errors.ts";
import type { ProfileUpdate } from "./schema.ts";
import { PROFILE_FIELDS } from "../schemas/profile_rules.ts";
import { hasUploads } from "../config/uploads_setting.ts";
import type { Services } from "../services/services.ts";
import { getLanguage } from "../texts/texts.ts";

/**
 * Updates the given fields of the user's own profile. Omitted fields keep their value.
 *
 * @param isExpected whether this is the profile that the caller wants to change. It is locked until the update.
 * @throws {AppError} VALIDATION_FAILED when the avatar is not allowed or there is no such language; PRECONDITION_FAILED
 * when the profile is not the expected one; UNAUTHENTICATED when the user no longer exists.
 */
export async function updateProfile(
  services: Services,
  caller: Caller,
  { avatar, emailVisible, language, ...texts }: ProfileUpdate,
  isExpected: (user: User) => boolean = () => true,
): Promise<User> {
  if (language) getLanguage(services.languages, language);
  const { id } = caller.user;
  const now = services.now();
  const change = {
    ...texts,
    // Without photos, programs of an installation that has them change nothing.
    avatar: hasUploads(services.config, "photos") ? storedOf(avatar, services) : undefined,
    language: orNull(language),
    email_visible: emailVisible,
  };
  return await services.db.transaction().execute(async (trx) => {
    const before = await lockUser(trx, id);
    if (before === null) throw new AppError("UNAUTHENTICATED", { reason: "account" });
    if (!isExpected(userOfRow(before, services))) {
      throw new AppError("PRECONDITION_FAILED");
    }
    if (change.avatar !== undefined) await exchangeAvatar(trx, services, { before, avatar: change.avatar });
    const row = await updateUser(trx, { id, now }, change);
    const user = userOfRow(row, services);
    const fields = changedFields(userOfRow(before, services), user);
    if (fields.length > 0) {
      await recordUpdate(trx, { ...eventBy(caller), kind: "user.updated", details: { fields } }, now);
    }
    return user;
  });
}

/** Returns what the row keeps of an avatar. Undefined stays, and null and "" mean none. */
function storedOf(avatar: string | null | undefined, services: Services): string | null | undefined {
  if (!avatar) return orNull(avatar);
  const stored = storedAvatar(avatar, services);
  if (stored === null) throw validationFailed({ avatar: [{ rule: "avatarAddress" }] });
  return stored;
}

function orNull<Value>(value: Value): Value | null {
  return value === "" ? null : value;
}

function changedFields(before: User, after: User): string[] {
  return ([...PROFILE_FIELDS, "avatar", "emailVisible", "language"] as const).filter((field) =>
    after[field] !== before[field]
  );
}

async function exchangeAvatar(
  trx: Transaction<Database>,
  services: Services,
  { before, avatar }: { before: FullUserRow; avatar: string | null },
): Promise<void> {
  if (before.avatar === avatar) return;
  if (avatar !== null) await keepAvatar(trx, avatar);
  await releaseAvatar(trx, services, before);
}
