import { checkHealth } from "../../lib/server/health.ts";
import { define } from "../../lib/web/state.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const health = await checkHealth(ctx.state.services);
    const status = health.status === "ok" ? 200 : 503;
    return Response.json(health, { status, headers: { "Cache-Control": "no-store" } });
  },
});
