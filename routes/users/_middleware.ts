export { noIndex as handler } from "../../lib/web/middleware/no_index.ts";
