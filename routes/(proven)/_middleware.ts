import { noIndex } from "../../lib/web/middleware/no_index.ts";
import { requirePageSessionToRead } from "../../lib/web/pages/page_session.ts";

/**
 * Pages for members whose forms renew or end the session. The second click of a double click arrives with the old one
 * and must get the response to the first, so the forms check the session themselves.
 */
export const handler = [noIndex, requirePageSessionToRead];
