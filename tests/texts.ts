/** Writes lib/texts/catalog.ts, the types of the texts in lib/texts/en. */
import { catalogTypes } from "../lib/texts/compiler/catalog_types.ts";
import { ENGLISH } from "../lib/texts/languages.ts";

await Deno.writeTextFile(new URL("../lib/texts/catalog.ts", import.meta.url), catalogTypes(ENGLISH.sections));
