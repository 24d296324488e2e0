import { checkHealth } from "../../../lib/server/monitoring/health.ts";
import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";
import { HealthView } from "../../../lib/schemas/service.ts";

export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "checkHealth",
    summary: "Check that the service works",
    description: "503 while the database is unreachable.",
    caller: "public",
    whileClosing: "open",
    returns: { 200: HealthView, 503: HealthView },
  }, async (ctx) => {
    const health = await checkHealth(ctx.state.services);
    const status = health.status === "ok" ? 200 : 503;
    return Response.json(health, { status, headers: { "Cache-Control": "no-store" } });
  }),
});
