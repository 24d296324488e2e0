import { readSettings } from "./lib/config.ts";
import { publishedDocument } from "./lib/programs/api_document/document.ts";
const c = { ...readSettings({ BASE_URL: "http://localhost:8000" }), appSecret: "x" } as any;
const t = performance.now();
const d = publishedDocument(c);
console.error(performance.now() - t, d.text.length);
console.log(JSON.stringify(d.document, null, 1));
