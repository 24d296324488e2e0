import { noIndex } from "../../lib/http/pages/no_index.ts";
import { requirePageSession } from "../../lib/http/pages/page_session.ts";

export const handler = [noIndex, requirePageSession];
