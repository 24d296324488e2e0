/** Each is created once, because that takes as long as rendering a small page. */
const formats = new Map<string, unknown>();

/** Formats of dates, numbers and lists, and the rules of plurals. */
export const dateFormat = once(Intl.DateTimeFormat);
export const numberFormat = once(Intl.NumberFormat);
export const listFormat = once(Intl.ListFormat);
export const pluralRules = once(Intl.PluralRules);

function once<Options, Format>(
  Formatter: new (locale?: string, options?: Options) => Format,
): (locale?: string, options?: Options) => Format {
  return (locale, options) => {
    const key = Formatter.name + locale + JSON.stringify(options);
    let found = formats.get(key) as Format | undefined;
    if (found === undefined) formats.set(key, found = new Formatter(locale, options));
    return found;
  };
}

/** Writes a choice, such as "a, b or c". */
export function orList(items: readonly string[], locale: string): string {
  return listFormat(locale, { type: "disjunction" }).format(items);
}
