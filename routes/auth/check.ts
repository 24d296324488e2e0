import { checkGroups, findCheckedUser, identityHeaders, refuseCheck } from "../../lib/web/authentication/auth_check.ts";
import { currentSession } from "../../lib/web/authentication/current_session.ts";
import { endpoints, plainEndpoint } from "../../lib/web/endpoints/endpoint.ts";
import { CheckQuery } from "../../lib/schemas/navigation.ts";

/** For reverse proxies: nginx auth_request, Caddy forward_auth and Traefik ForwardAuth. */
export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "checkRequest",
    summary: "Tell a reverse proxy who sends a request",
    description:
      "For nginx auth_request, Caddy forward_auth and Traefik ForwardAuth. 401 also for a user who has not confirmed the " +
      "address. Of apps, only the operator's own (`first_party`) may send their access tokens here.",
    caller: "public",
    tokens: "profile:read",
    // Products take the sender for the person. No one has allowed an app of others to use products in their name.
    ownAppsOnly: true,
    whileClosing: "open",
    query: CheckQuery,
    returns: { 204: null, 303: null },
    errors: ["FORBIDDEN"],
    sends: [
      "X-Foyer-User-Id",
      "X-Foyer-User-Email",
      "X-Foyer-User-Email-Verified",
      "X-Foyer-User-Name",
      "X-Foyer-User-Picture",
      "X-Foyer-User-Role",
      "X-Foyer-User-Groups",
      "X-Foyer-User-Session",
    ],
  }, async (ctx) => {
    const user = await findCheckedUser(ctx);
    if (user === null) return await refuseCheck(ctx);
    const facts = { groups: await checkGroups(ctx, user), sessionId: (await currentSession(ctx))?.id };
    return new Response(null, { status: 204, headers: identityHeaders(user, facts) });
  }),
});
