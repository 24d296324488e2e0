import { logOut } from "../../lib/access/session.ts";
import { withoutSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { clientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";
import { Done } from "../../lib/schemas/views.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "logOut",
    summary: "Log out",
    description: "Ends every session that the request carries.",
    caller: "sessions",
    whileClosing: "open",
    returns: { 200: Done },
    sends: ["Set-Cookie"],
    limit: { none: "Ending access must always work, and each session ends once" },
  }, async ({ services, caller: sessionIds, ctx }) => {
    await logOut(services, sessionIds, clientOf(ctx));
    return reply({ success: true, message: "Logged out" }, (response) => withoutSessionCookie(response, services));
  }),
});
