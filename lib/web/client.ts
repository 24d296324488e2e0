import type { Context } from "fresh";
import type { SessionClient } from "../access/session_start.ts";
import type { Client } from "../activity/client.ts";
import { clientAddress } from "../http/client_address.ts";
import { requestIdOf } from "../http/request_id.ts";
import { deviceTokens } from "./authentication/presented_tokens.ts";
import { presentedSessionIds } from "./authentication/current_session.ts";
import type { State } from "./state.ts";

const USER_AGENT_MAX = 512;

/** Returns where the request comes from. */
export function clientOf({ req, info, state }: Context<State>): Client {
  const userAgent = req.headers.get("user-agent")?.slice(0, USER_AGENT_MAX).trim();
  return {
    address: clientAddress(req, info, state.services.config.trustedProxies),
    userAgent: userAgent || null,
    requestId: requestIdOf(info),
  };
}

/** Returns the client of a request that opens a session. */
export async function sessionClientOf(ctx: Context<State>): Promise<SessionClient> {
  return {
    ...clientOf(ctx),
    deviceTokens: deviceTokens(ctx.req, ctx.state.services.config),
    presentedSessionIds: await presentedSessionIds(ctx),
  };
}
