import { findLogoutReceiver, listLogoutReceivers } from "../../clients/registrations.ts";
import { DAY_SECONDS, unixSeconds } from "../../duration.ts";
import { deleteLogout, type LeasedLogout, leaseLogouts, postponeLogout } from "../../grants/logout_delivery.ts";
import { DeliveryError } from "../../queue/delivery_error.ts";
import { createDispatcher, type DeliveryQueue, type Dispatcher } from "../../queue/dispatcher.ts";
import { LEASE_SECONDS } from "../../queue/lease.ts";
import type { Services } from "../../services/services.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { getSigningKey } from "../../access/signing_keys.ts";
import { signJwt } from "../../crypto/jwt.ts";

/** How many deliveries to one app may run in this process. A slow app holds up only its own. */
const MAX_FOR_ONE = 5;
/** A logout that an app has not accepted at this age is abandoned. */
const ABANDON_AFTER_SECONDS = DAY_SECONDS;

/** What an app responds to a logout that it has accepted, and what may work later. Everything else is final. */
const ACCEPTED = [200, 204];
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/** An app that hears of logouts. */
type Receiver = RegisteredClient & { backchannelLogoutUri: string };

/** Creates the dispatcher of logout tokens in this process. */
export function createLogoutDispatcher(services: Services, options: { renewalMs?: number } = {}): Dispatcher {
  const queue: DeliveryQueue<LeasedLogout> = {
    name: "logout",
    // Without receivers nothing runs, and the dispatcher must not wait for that to end.
    get maxRunning() {
      return Math.max(1, listLogoutReceivers(services.config).length * MAX_FOR_ONE);
    },
    abandonAfterSeconds: ABANDON_AFTER_SECONDS,
    abandonLevel: "warn",
    fieldsOf: ({ id, clientId, attempts }) => ({ logoutId: id, client: clientId, attempts }),
    lease: (running) => lease(services, running),
    deliver: (logout) => deliver(services, logout),
    postpone: ({ id }, seconds) => postponeLogout(services, { id, seconds }),
    finish: ({ id }) => deleteLogout(services.db, id),
  };
  return createDispatcher(services, queue, options);
}

function isReceiver(client: RegisteredClient): client is Receiver {
  return client.backchannelLogoutUri !== null;
}

async function lease(services: Services, running: ReadonlySet<LeasedLogout>): Promise<LeasedLogout[]> {
  const receivers = listLogoutReceivers(services.config);
  if (receivers.length === 0) return [];
  const places = new Map(receivers.map(({ id }) => [id, MAX_FOR_ONE]));
  for (const { clientId } of running) places.set(clientId, (places.get(clientId) ?? 0) - 1);
  return await leaseLogouts(services, { places, leaseSeconds: LEASE_SECONDS });
}

/** Only the operator may register an inside address. What an admin enters gets the guard of the webhooks. */
async function deliver(services: Services, logout: LeasedLogout): Promise<void> {
  const client = await findLogoutReceiver(services, logout.clientId);
  if (client === null || !isReceiver(client)) {
    throw new DeliveryError("The app hears of no logout any longer", { isFinal: true });
  }
  const sender = client.isMadeHere ? services.webhooks : services.logouts;
  const token = await signLogoutToken(services, { client, ...logout });
  const headers = { "content-type": "application/x-www-form-urlencoded", "user-agent": "Foyer" };
  const body = String(new URLSearchParams({ logout_token: token }));
  const status = await sender.post(client.backchannelLogoutUri, { headers, body }).catch((error) => {
    if (error instanceof DeliveryError && error.status !== undefined && !mayWorkLater(error.status)) {
      throw refusal(error.status);
    }
    throw error;
  });
  if (!ACCEPTED.includes(status)) throw refusal(status);
}

function mayWorkLater(status: number): boolean {
  return status === TOO_MANY_REQUESTS || status >= SERVER_ERROR;
}

function refusal(status: number): DeliveryError {
  return new DeliveryError("The app refused the logout token", { isFinal: true, status, answer: `status ${status}` });
}

/** The type in the header of logout tokens, so that nothing else can pass for one. */
const LOGOUT_TOKEN_TYPE = "logout+jwt";
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** How long a logout token is valid. */
const VALID_SECONDS = 120;

/**
 * Signs a token that tells an app that a session has ended. Source: OpenID Connect Back-Channel Logout, 2.4.
 *
 * @param options.id the same in every token about this session.
 */
async function signLogoutToken(
  services: Services,
  { client, id, userId, sessionId }: { client: RegisteredClient; id: string; userId: string; sessionId: string },
): Promise<string> {
  const issuedAt = unixSeconds(services.now());
  const claims = {
    iss: services.config.baseUrl,
    aud: client.id,
    iat: issuedAt,
    exp: issuedAt + VALID_SECONDS,
    jti: id,
    sub: userId,
    sid: sessionId,
    events: { [LOGOUT_EVENT]: {} },
  };
  return await signJwt(claims, await getSigningKey(services, client.idTokenAlgorithm), LOGOUT_TOKEN_TYPE);
}
