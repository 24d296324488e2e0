import { requireRegistrations } from "../../../lib/config/features.ts";
import { noIndex } from "../../../lib/web/middleware/no_index.ts";
import { noStore } from "../../../lib/web/middleware/no_store.ts";
import { endsHop } from "../../../lib/web/pages/same_site_hop.tsx";
import { define } from "../../../lib/web/state.ts";

/** Without apps, there are no such pages. */
const requireApps = define.middleware((ctx) => {
  requireRegistrations(ctx.state.services.config);
  return ctx.next();
});

/** The addresses of these pages say which app someone uses. */
export const handler = [requireApps, noIndex, noStore, endsHop];
