import { testPagesIn } from "../support/browser/pages_in_language.ts";

// Arabic is written from right to left.
await testPagesIn("ar");
