/** More are not read: no browser sends as many. */
const MAX_TAGS = 20;
const MAX_PARAMETERS = 5;

/** Returns the languages of an Accept-Language header, the preferred first. Source: RFC 9110, 12.5.4. */
export function acceptedLanguages(header: string | null): string[] {
  const ranges = (header ?? "").split(",", MAX_TAGS).map((range) => {
    const [tag, ...parameters] = range.split(";", 1 + MAX_PARAMETERS).map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? "1";
    return { tag, weight: Number(weight) };
  });
  const accepted = ranges.filter(({ tag, weight }) => /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i.test(tag) && weight > 0);
  return accepted.sort((a, b) => b.weight - a.weight).map(({ tag }) => tag);
}
