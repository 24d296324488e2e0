export { noStore as handler } from "../../lib/web/middleware/no_store.ts";
