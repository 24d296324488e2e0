/** Writes lib/texts/catalogue.ts, the types of the texts in lib/texts/en. */
import { catalogueTypes } from "../lib/texts/compiler/catalogue_types.ts";
import { ENGLISH } from "../lib/texts/languages.ts";

await Deno.writeTextFile(new URL("../lib/texts/catalogue.ts", import.meta.url), catalogueTypes(ENGLISH.sections));
