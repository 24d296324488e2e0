import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { endOtherSessions } from "../../../../lib/access/session_list.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/account/sessions/end-others", async ({ services, caller, input }) => ({
    success: true,
    ended: await endOtherSessions(services, caller, input),
  })),
});
