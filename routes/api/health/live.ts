import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";
import { LivenessView } from "../../../lib/schemas/service.ts";

export const handler = endpoints({
  GET: plainEndpoint(
    {
      operationId: "checkLiveness",
      summary: "Check that the process responds",
      caller: "public",
      whileClosing: "open",
      returns: { 200: LivenessView },
    },
    () => Response.json({ status: "ok" } satisfies LivenessView, { headers: { "Cache-Control": "no-store" } }),
  ),
});
