const QUOTABLE_MAX_LENGTH = 60;
/** What mail programs and people take for a web address, an email address or a number to call. */
const LURE = /[/\\@:]|[.。．｡]\p{L}{2}|\bwww\b|\d[\d\s()+-]{4,}\d/iu;

/**
 * Returns a name that someone has entered if an email to others may quote it: short, and nothing to open or to call.
 * Otherwise anyone could send such texts in our name.
 */
export function quotableName(name: string | undefined): string | undefined {
  if (name === undefined || name.length > QUOTABLE_MAX_LENGTH || LURE.test(name.normalize("NFKC"))) return undefined;
  return name;
}
