import compile from "icu-minify/compile";
import type { CompiledMessage } from "icu-minify/format";
import type { TextTree } from "./text_files.ts";
import type { Messages } from "../messages.ts";

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
        ? compileText(text, { product, key: path + key })
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

/** Writes a text so that the parser leaves it as it is. Source: ICU MessageFormat, quoting. */
function quoted(text: string): string {
  return text.replaceAll("'", "''").replaceAll(/[{}<>#|]+/g, "'$&'");
}
