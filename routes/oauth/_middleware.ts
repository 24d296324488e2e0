import { lookForFirstClient } from "../../lib/clients/registrations.ts";
import { requireRegistrations } from "../../lib/config/features.ts";
import { define } from "../../lib/web/state.ts";

/** Without apps, there are no such addresses, with any method. */
export const handler = define.middleware(async (ctx) => {
  const { services } = ctx.state;
  await lookForFirstClient(services);
  requireRegistrations(services.config);
  return await ctx.next();
});
