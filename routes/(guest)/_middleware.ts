export { skipWithSession as handler } from "../../lib/web/pages/page_session.ts";
