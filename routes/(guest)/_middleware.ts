export { skipWithSession as handler } from "../../lib/http/page_session.ts";
