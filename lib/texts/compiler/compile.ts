import compile from "icu-minify/compile";
import type { CompiledMessage } from "icu-minify/format";
import type { TextTree } from "./text_files.ts";
import { ISOLATED, type Messages } from "../messages.ts";

/**
 * Compiles the texts of a file.
 *
 * @param product the name of the product, which replaces `{product}`.
 * @throws {Error} naming the key of the first message that cannot be parsed.
 */
export function compileTexts(texts: TextTree, product: string, path = ""): Messages {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      typeof text === "string"
        ? withIsolation(compileText(text, { product, key: path + key }))
        : compileTexts(text, product, `${path}${key}.`),
    ]),
  );
}

/** Compiles a text. */
export function compileText(text: string, { product, key }: { product: string; key: string }): CompiledMessage {
  try {
    return compile(text.replaceAll("{product}", () => quoted(product)));
  } catch (error) {
    throw new Error(`Cannot parse ${key}: ${(error as Error).message}: ${text}`, { cause: error });
  }
}

/** Puts each inserted argument into a tag of its own, which isolates it. */
function withIsolation<Part>(part: Part): Part {
  if (isInserted(part)) return [ISOLATED, part] as Part;
  if (Array.isArray(part)) return part.map(withIsolation) as Part;
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withIsolation(value)])) as Part;
}

/** A compiled argument without a format, such as `["name"]`. The parts of a message are in an array too: of nodes. */
function isInserted(part: unknown): boolean {
  return Array.isArray(part) && part.length === 1 && typeof part[0] === "string";
}

/** Writes a text so that the parser leaves it as it is. Source: ICU MessageFormat, quoting. */
function quoted(text: string): string {
  return text.replaceAll("'", "''").replaceAll(/[{}<>#|]+/g, "'$&'");
}
