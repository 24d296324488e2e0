import type { Role } from "./tables.ts";
import type { Config } from "../config/config.ts";
import { AppError } from "../errors/errors.ts";

/** Who looks at people. */
export interface Viewer {
  id: string;
  role: Role;
}

/** For whom users are shown. */
export interface ForViewer {
  /** Finds the user who is logged in. It is called only if that matters, because a login takes a look-up. */
  findViewer(): Promise<Viewer | null>;
  /** Whether they see the addresses that people hide from others. By default, they do not. */
  showsAddresses?: boolean;
}

type PeopleConfig = Pick<Config, "people">;

/** Whether someone sees people at all, as PEOPLE says. */
export function seesPeople(viewer: Viewer | null, { people }: PeopleConfig): boolean {
  if (people === "members") return viewer !== null;
  return people !== "off" || viewer?.role === "admin";
}

/**
 * Requires that someone sees people at all.
 *
 * @throws {AppError} UNAUTHENTICATED where only members see people; NOT_FOUND where only admins do.
 */
export async function requirePeople({ people }: PeopleConfig, { findViewer }: ForViewer): Promise<void> {
  if (!areMembersOnly({ people }) || seesPeople(await findViewer(), { people })) return;
  throw people === "members"
    ? new AppError("UNAUTHENTICATED", { reason: "guest" })
    : new AppError("NOT_FOUND", { reason: "page" });
}

/** Whether guests see no one. */
export function areMembersOnly({ people }: PeopleConfig): boolean {
  return people === "members" || people === "off";
}

/** Whether those who see people also see accounts whose address is not confirmed. Admins see everyone. */
export function areUnconfirmedShown({ people }: PeopleConfig): boolean {
  return people === "all" || people === "off";
}

/** Whether someone finds their own account among those of people. */
export function seesOneself(user: Viewer & { emailVerified: boolean }, config: PeopleConfig): boolean {
  return seesPeople(user, config) && (user.emailVerified || areUnconfirmedShown(config));
}

/** To whom people can show their address: everyone, members, or null for no one. */
export function addressAudience(
  { people, publicUserEmails }: Pick<Config, "people" | "publicUserEmails">,
): "everyone" | "members" | null {
  if (!publicUserEmails || people === "off") return null;
  return people === "members" ? "members" : "everyone";
}

/** Whether everyone who sees a user also sees their address: the operator and the person both allow it. */
export function isAddressShown(
  { emailVisible }: { emailVisible: boolean },
  { publicUserEmails }: Pick<Config, "publicUserEmails">,
): boolean {
  return publicUserEmails && emailVisible;
}
