import type { Config } from "../../config/config.ts";
import type { Texts } from "../../texts/texts.ts";

/** Says whom people can ask who think that a refusal is a mistake. */
export function whomToAsk({ frame }: Pick<Texts, "frame">, { brand }: Pick<Config, "brand">): string {
  const { supportEmail: address } = brand.settings;
  return address === undefined ? frame.askProduct : frame.askAddress({ address });
}
