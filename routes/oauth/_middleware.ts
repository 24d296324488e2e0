import { requireRegistrations } from "../../lib/config/features.ts";
import { define } from "../../lib/web/state.ts";

/** Without apps, there are no such addresses, with any method. */
export const handler = define.middleware((ctx) => {
  requireRegistrations(ctx.state.services.config);
  return ctx.next();
});
