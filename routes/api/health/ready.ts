import { checkReadiness } from "../../../lib/server/monitoring/readiness.ts";
import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";
import { ReadinessView } from "../../../lib/schemas/service.ts";

export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "checkReadiness",
    summary: "Check what the service depends on",
    description:
      "503 while the database does not respond or cannot write. If only the object store fails or emails are " +
      "late, the status is `degraded`, with 200.",
    // No limit: it asks the store at most once in five seconds, and concurrent requests share their queries.
    caller: "public",
    whileClosing: "open",
    returns: { 200: ReadinessView, 503: ReadinessView },
  }, async (ctx) => {
    const readiness = await checkReadiness(ctx.state.services);
    const status = readiness.status === "error" ? 503 : 200;
    return Response.json(readiness, { status, headers: { "Cache-Control": "no-store" } });
  }),
});
