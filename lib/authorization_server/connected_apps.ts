import { sql } from "kysely";
import type { Principal } from "../access/principal.ts";
import { deviceName } from "../activity/device_name.ts";
import { logoAddresses } from "../clients/logo.ts";
import type { Config } from "../config/config.ts";
import { isDocumentId } from "../config/registered_client.ts";
import { unixSeconds } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { type AllowedResource, allowedResources, removeConsent } from "../grants/consent.ts";
import { recordAppEnds } from "../grants/grant_end.ts";
import { admits, groupNamesOf } from "../groups/membership.ts";
import type { ConnectedAppView } from "../accounts/schema.ts";
import type { Language } from "../texts/texts.ts";
import type { Services } from "../services/services.ts";
import { lockUser } from "../users/user_lock.ts";
import { withProviderName } from "../accounts/identities.ts";

/** Ignores case, and compares numbers as such. */
const BY_NAME = new Intl.Collator("en", { numeric: true });

/** An app that a person has allowed something. */
export interface ConnectedApp {
  /** The id of the consent. */
  id: string;
  clientId: string;
  /** Everything that the person has allowed. */
  scopes: string[];
  /** Everything that the person has allowed it to use. */
  resources: AllowedResource[];
  /** The API that the app may use for the person; null for none. */
  resource: string | null;
  /** Whether the app stays connected when the person logs out. */
  isOffline: boolean;
  /** How many sign-ins at the app still count. */
  grants: number;
  /** The devices that have asked with a code, the newest first. */
  devices: ConnectedDevice[];
  createdAt: Date;
  /** Accurate to five minutes. */
  lastUsedAt: Date;
}

/** A device that has asked for access with a code. */
export interface ConnectedDevice {
  userAgent: string | null;
  address: string;
  createdAt: Date;
}

/** Lists the apps of a user, the most recently used first. */
export async function listConnectedApps(
  { db, now }: Pick<Services, "db" | "now">,
  { id: userId }: { id: string },
): Promise<ConnectedApp[]> {
  const rows = await db.selectFrom("consents")
    .leftJoin(
      (eb) =>
        eb.selectFrom("grants").leftJoin("sessions", "sessions.public_id", "grants.session_public_id")
          .select(["consent_id", (each) => each.fn.countAll().as("grants")])
          .select(sql<boolean>`bool_or(is_offline)`.as("is_offline"))
          .where("grants.user_id", "=", userId).where("code_spent_at", "is not", null)
          .where(sql<boolean>`case when is_offline then grants.expires_at else sessions.expires_at end > ${now()}`)
          .groupBy("consent_id").as("alive"),
      (join) => join.onRef("alive.consent_id", "=", "consents.id"),
    )
    .select(["id", "client_id", "scopes", "resources", "resource_scopes"])
    .select(["created_at", "last_used_at", "grants", "is_offline"])
    .where("user_id", "=", userId).orderBy("last_used_at", "desc").orderBy("id", "desc").execute();
  const devices = await listDevices({ db, now }, userId);
  return rows.map((row) => ({
    id: row.id,
    clientId: row.client_id,
    scopes: row.scopes,
    resources: allowedResources({ resources: row.resources, resourceScopes: row.resource_scopes }),
    resource: row.resources.at(-1) ?? null,
    isOffline: row.is_offline ?? false,
    grants: Number(row.grants ?? 0),
    devices: devices.filter(({ consentId }) => consentId === row.id),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}

async function listDevices({ db, now }: Pick<Services, "db" | "now">, userId: string) {
  const rows = await db.selectFrom("grants").select(["consent_id", "device_agent", "device_address", "created_at"])
    .where("user_id", "=", userId).where("device_address", "is not", null).where("code_spent_at", "is not", null)
    .where("expires_at", ">", now()).orderBy("id", "desc").execute();
  return rows.map((row): ConnectedDevice & { consentId: string } => ({
    consentId: row.consent_id,
    userAgent: row.device_agent,
    address: row.device_address!,
    createdAt: row.created_at,
  }));
}

/** An app that a person may open. */
export interface AvailableApp {
  name: string;
  /** Where it begins. */
  uri: string;
  /** The address of its logo, or null. */
  logo: string | null;
}

/** Lists the apps with an address that a person may open, by name: those for everyone, and those for their groups. */
export async function listAvailableApps(
  { config, db, now }: Pick<Services, "config" | "db" | "now">,
  { id: userId }: { id: string },
): Promise<AvailableApp[]> {
  const clients = [...config.registrations?.clients.values() ?? []].filter(({ clientUri }) => clientUri !== null);
  if (clients.length === 0) return [];
  const groups = await groupNamesOf(db, { userId, now: now() });
  const logos = await logoAddresses({ config, db }, clients.map(({ id }) => id));
  return clients.filter((client) => admits(client, groups))
    .map(({ id, name, clientUri }) => ({ name, uri: clientUri!, logo: logos.get(id) ?? null }))
    .sort((a, b) => BY_NAME.compare(a.name, b.name));
}

/**
 * What people recognize an app by. An unregistered one has the host of its document as the name, and one that has
 * left CLIENTS_FILE its id. Both have no other host.
 */
export function describeApp(
  { registrations }: Pick<Config, "registrations">,
  clientId: string,
): { name: string; host: string | null; isFirstParty: boolean } {
  if (isDocumentId(clientId)) {
    return { name: URL.parse(clientId)?.host ?? clientId, host: null, isFirstParty: false };
  }
  const client = registrations?.clients.get(clientId);
  const web = client?.redirectUris.map((uri) => new URL(uri)).find(({ protocol }) => protocol === "https:");
  return { name: client?.name ?? clientId, host: web?.host ?? null, isFirstParty: client?.isFirstParty ?? false };
}

/** The fields of an app in the API. */
export function connectedAppView(
  config: Pick<Config, "registrations">,
  app: ConnectedApp,
  language: Language,
): ConnectedAppView {
  const { name, host, isFirstParty } = describeApp(config, app.clientId);
  return {
    id: app.id,
    clientId: app.clientId,
    name,
    host,
    scopes: app.scopes,
    resource: app.resource,
    resources: app.resources,
    firstParty: isFirstParty,
    offline: app.isOffline,
    grants: app.grants,
    devices: app.devices.map(({ userAgent, address, createdAt }) => ({
      device: deviceName(userAgent, language),
      clientAddress: address,
      createdAt: unixSeconds(createdAt),
    })),
    createdAt: unixSeconds(app.createdAt),
    lastUsedAt: unixSeconds(app.lastUsedAt),
  };
}

/**
 * Disconnects one of the principal's apps: ends its grants and forgets what it was allowed.
 *
 * @throws {AppError} NOT_FOUND for an unknown app or another user's.
 */
export async function disconnectApp(
  { db, now }: Pick<Services, "db" | "now">,
  { user: { id: userId }, session, client }: Principal,
  id: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    const clientId = await removeConsent(trx, { id, userId, now: now() });
    if (clientId === null) throw new AppError("NOT_FOUND", { reason: "app" });
    const end = { reason: "disconnected", client, sessionId: session.id, now: now() } as const;
    await recordAppEnds(trx, { userId, clientIds: [clientId] }, end);
  });
}

/** Returns an event with the name of its app in place of the id. */
function withAppName<Event extends { details: Record<string, unknown> }>(
  event: Event,
  config: Pick<Config, "registrations">,
): Event {
  const { app } = event.details;
  if (typeof app !== "string") return event;
  return { ...event, details: { ...event.details, app: describeApp(config, app).name } };
}

/** Returns an event with the names of its provider and its app in place of their keys. */
export function withNames<Event extends { details: Record<string, unknown> }>(
  event: Event,
  config: Pick<Config, "providers" | "registrations">,
): Event {
  return withAppName(withProviderName(event, config), config);
}
