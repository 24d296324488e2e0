export { requirePageSession as handler } from "../../lib/http/pages/page_session.ts";
