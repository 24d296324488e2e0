import { lookForFirstClient } from "../../lib/clients/registrations.ts";
import { requireRegistrations } from "../../lib/config/features.ts";
import { noStore } from "../../lib/web/middleware/no_store.ts";
import { define } from "../../lib/web/state.ts";

/** Without apps, there is no such page. */
const onlyWithApps = define.middleware(async (ctx) => {
  const { services } = ctx.state;
  await lookForFirstClient(services);
  requireRegistrations(services.config);
  return await ctx.next();
});

export const handler = [onlyWithApps, noStore];
