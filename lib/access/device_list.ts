import { deviceName } from "../activity/device_name.ts";
import { recordEvent } from "../activity/events.ts";
import { forgetDevice, listTrustedDevices, type TrustedDevice } from "../activity/trusted_device.ts";
import type { DeviceView } from "../accounts/schema.ts";
import { unixSeconds } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import type { Language } from "../texts/texts.ts";
import { lockUser } from "../users/user_lock.ts";
import { eventBy, type Principal } from "./principal.ts";

/** Lists the devices that the principal trusts. The tokens are those of the browser. */
export async function listOwnDevices(
  { db, config, now }: Pick<Services, "db" | "config" | "now">,
  { user }: Principal,
  deviceTokens: string[],
): Promise<TrustedDevice[]> {
  return await listTrustedDevices(db, { userId: user.id, tokens: deviceTokens }, { config, now: now() });
}

/** The fields of a device in GET /api/account/devices. */
export function deviceView({ id, isCurrent, userAgent, trustedUntil }: TrustedDevice, language: Language): DeviceView {
  return { id, device: deviceName(userAgent, language), trustedUntil: unixSeconds(trustedUntil), current: isCurrent };
}

/**
 * Forgets a device that the principal trusts: the next login there asks for the second step, and sends an alert.
 *
 * @throws {AppError} NOT_FOUND for an unknown device or another user's.
 */
export async function forgetOwnDevice(
  { db, now }: Pick<Services, "db" | "now">,
  principal: Principal,
  id: string,
): Promise<void> {
  const userId = principal.user.id;
  await db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    if (!await forgetDevice(trx, { userId, id })) throw new AppError("NOT_FOUND", { reason: "device" });
    await recordEvent(trx, { ...eventBy(principal), kind: "device.forgotten", details: { device: id } }, now());
  });
}
