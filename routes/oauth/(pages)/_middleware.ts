import { noIndex } from "../../../lib/web/middleware/no_index.ts";
import { noStore } from "../../../lib/web/middleware/no_store.ts";
import { endsHop } from "../../../lib/web/pages/same_site_hop.tsx";

/** Pages to which apps send people. Their addresses say which app someone uses. */
export const handler = [noIndex, noStore, endsHop];
