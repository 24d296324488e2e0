import type { Config } from "../config/config.ts";
import { serviceName } from "../config/registered_client.ts";
import { validationFailed } from "../errors/errors.ts";
import { ADMIN_SCOPE } from "../schemas/scopes.ts";
import type { Services } from "../services/services.ts";
import { type GroupChoice, setGroupsOfSource } from "./membership.ts";

/** Which groups an app that acts as itself has chosen for someone. */
export interface ManagedChoice extends GroupChoice {
  clientId: string;
}

/**
 * Sets the groups of someone as far as an app says so, among the groups that it manages. What others say stays, and so
 * does what the app has said about groups that it no longer manages.
 *
 * @returns whether anything has changed.
 * @throws {AppError} NOT_FOUND; VALIDATION_FAILED for a group that it does not manage; TOO_MANY.
 */
export async function setManagedGroups(
  services: Services,
  { clientId, ...choice }: ManagedChoice,
): Promise<boolean> {
  const managed = managedGroupsOf(services.config, clientId);
  const unknown = choice.groups.find((name) => !managed.includes(name));
  if (unknown !== undefined) throw validationFailed({ groups: [{ rule: "managedGroup", group: unknown }] });
  return await setGroupsOfSource(services, { ...choice, source: serviceName(clientId), among: managed });
}

/** Returns the groups of a person that an app may see: all, or those that it manages. */
export function visibleGroups(
  config: Pick<Config, "registrations" | "secondFactor">,
  { clientId, scopes }: { clientId: string; scopes: readonly string[] },
  groups: string[],
): string[] {
  if (scopes.includes("groups:read") || scopes.includes(ADMIN_SCOPE)) return groups;
  const managed = managedGroupsOf(config, clientId);
  return groups.filter((name) => managed.includes(name));
}

/** No app decides who must have a second factor. */
function managedGroupsOf(
  { registrations, secondFactor }: Pick<Config, "registrations" | "secondFactor">,
  clientId: string,
): string[] {
  const managed = registrations?.clients.get(clientId)?.managedGroups ?? [];
  return managed.filter((name) => !secondFactor?.groups.includes(name));
}
