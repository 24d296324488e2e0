import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { isAvatarAllowed, keepAvatar, releaseAvatar } from "../uploads/shown_photo.ts";
import { type Caller, eventBy } from "../access/principal.ts";
import { lockUser } from "../users/user_lock.ts";
import { type FullUserRow, type User, userOfRow } from "../users/user_row.ts";
import { updateUser } from "../users/user_changes.ts";
import { recordUpdate } from "../activity/events.ts";
import { AppError, validationFailed } from "../errors.ts";
import type { ProfileUpdate } from "../schemas/profile.ts";
import { PROFILE_FIELDS } from "../schemas/profile_rules.ts";
import type { Services } from "../services.ts";
import { getLanguage } from "../texts/texts.ts";

/**
 * Updates the given fields of the user's own profile. Omitted fields keep their value.
 *
 * @param isExpected whether this is the profile that the caller wants to change. It is locked until the update.
 * @throws {AppError} VALIDATION_FAILED when the avatar is not allowed or there is no such language; PRECONDITION_FAILED when the profile is not the
 * expected one; UNAUTHENTICATED when the user no longer exists.
 */
export async function updateProfile(
  services: Services,
  caller: Caller,
  { avatar, emailVisible, language, ...texts }: ProfileUpdate,
  isExpected: (user: User) => boolean = () => true,
): Promise<User> {
  if (avatar && !isAvatarAllowed(avatar, services)) {
    throw validationFailed({ avatar: [{ rule: "avatarAddress" }] });
  }
  if (language) getLanguage(services.languages, language);
  const { id } = caller.user;
  const now = services.now();
  const change = { ...texts, avatar: orNull(avatar), language: orNull(language), email_visible: emailVisible };
  return await services.db.transaction().execute(async (trx) => {
    const before = await lockUser(trx, id);
    if (before === null) throw new AppError("UNAUTHENTICATED", { reason: "account" });
    if (!isExpected(userOfRow(before))) {
      throw new AppError("PRECONDITION_FAILED");
    }
    if (change.avatar !== undefined) await exchangeAvatar(trx, services, { before, avatar: change.avatar });
    const row = await updateUser(trx, { id, now }, change);
    const user = userOfRow(row);
    const fields = changedFields(userOfRow(before), user);
    if (fields.length > 0) {
      await recordUpdate(trx, { ...eventBy(caller), kind: "user.updated", details: { fields } }, now);
    }
    return user;
  });
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
