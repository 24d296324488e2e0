import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";
import type { LivenessView } from "../../../lib/schemas/service.ts";

export const handler = endpoints({
  GET: plainEndpoint(
    "GET /api/health/live",
    () => Response.json({ status: "ok" } satisfies LivenessView, { headers: { "Cache-Control": "no-store" } }),
  ),
});
