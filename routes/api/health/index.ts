import { checkHealth } from "../../../lib/server/monitoring/health.ts";
import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: plainEndpoint("GET /api/health", async (ctx) => {
    const health = await checkHealth(ctx.state.services);
    const status = health.status === "ok" ? 200 : 503;
    return Response.json(health, { status, headers: { "Cache-Control": "no-store" } });
  }),
});
