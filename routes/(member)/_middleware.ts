import { noIndex } from "../../lib/web/middleware/no_index.ts";
import { requirePageSession } from "../../lib/web/pages/page_session.ts";

export const handler = [noIndex, requirePageSession];
