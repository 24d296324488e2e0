import { lookForFirstClient } from "../../clients/registrations.ts";
import { requireRegistrations } from "../../config/features.ts";
import { define } from "../state.ts";

/** Without apps, there is no such address, with any method. */
export const onlyWithApps = define.middleware(async (ctx) => {
  const { services } = ctx.state;
  await lookForFirstClient(services);
  requireRegistrations(services.config);
  return await ctx.next();
});
