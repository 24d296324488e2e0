export { noIndex as handler } from "../../lib/http/pages/no_index.ts";
