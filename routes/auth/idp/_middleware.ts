export { documentsOnly as handler } from "../../../lib/web/middleware/documents_only.ts";
