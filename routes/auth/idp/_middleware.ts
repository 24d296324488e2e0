export { documentsOnly as handler } from "../../../lib/http/documents_only.ts";
