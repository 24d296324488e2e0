import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { endOtherSessions } from "../../../../lib/access/session_list.ts";
import { EndOthersSchema } from "../../../../lib/sign_in/schema.ts";
import { EndedSessions } from "../../../../lib/accounts/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "endOtherSessions",
    summary: "End all your other sessions",
    description: "With `apps`, apps that stay connected without a session are signed out too.",
    caller: "session",
    whileClosing: "refused",
    body: EndOthersSchema,
    bodyIsOptional: true,
    returns: { 200: EndedSessions },
    limit: "write",
  }, async ({ services, caller, input }) => ({
    success: true,
    ended: await endOtherSessions(services, caller, input),
  })),
});
