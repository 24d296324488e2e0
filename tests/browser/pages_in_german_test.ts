import { testPagesIn } from "../support/browser/pages_in_language.ts";

// German has the longest words.
await testPagesIn("de");
