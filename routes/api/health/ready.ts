import { checkReadiness } from "../../../lib/server/monitoring/readiness.ts";
import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: plainEndpoint("GET /api/health/ready", async (ctx) => {
    const readiness = await checkReadiness(ctx.state.services);
    const status = readiness.status === "error" ? 503 : 200;
    return Response.json(readiness, { status, headers: { "Cache-Control": "no-store" } });
  }),
});
