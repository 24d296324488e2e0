import { noIndex } from "../../lib/http/pages/no_index.ts";
import { requirePageSessionToRead } from "../../lib/http/pages/page_session.ts";

/**
 * Pages for members whose forms renew or end the session. The second click of a double click arrives with the old one
 * and must get the response to the first, so the forms check the session themselves.
 */
export const handler = [noIndex, requirePageSessionToRead];
