import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { endOwnSession } from "../../../../lib/access/session_list.ts";
import { withoutSessionCookie } from "../../../../lib/web/authentication/session_cookie.ts";
import { reply } from "../../../../lib/web/endpoints/reply.ts";

export const handler = endpoints({
  DELETE: endpoint({
    operationId: "endSession",
    summary: "End one of your sessions",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["NOT_FOUND"],
    limit: "write",
  }, async ({ services, caller, params }) => {
    await endOwnSession(services, caller, params.id);
    if (params.id === caller.session.id) {
      return reply(undefined, (response) => withoutSessionCookie(response, services));
    }
  }),
});
