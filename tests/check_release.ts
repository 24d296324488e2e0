/** Lists what a release needs besides passing tests: the texts that are still shown in English. */
import { checkBuiltIn } from "../lib/texts/languages.ts";

const { missing } = checkBuiltIn();
for (const text of missing) console.error(`lib/texts/${text} is missing`);
if (missing.length > 0) Deno.exit(1);
console.log("Every language has all texts.");
