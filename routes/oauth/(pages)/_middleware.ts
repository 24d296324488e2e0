import { noIndex } from "../../../lib/web/middleware/no_index.ts";
import { noStore } from "../../../lib/web/middleware/no_store.ts";
import { endsHop } from "../../../lib/web/pages/same_site_hop.tsx";

/** The addresses of these pages say which app someone uses. */
export const handler = [noIndex, noStore, endsHop];
