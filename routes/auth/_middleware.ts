export { noStore as handler } from "../../lib/http/no_store.ts";
