import type { BrandSettings } from "./settings.ts";

/** One of the operator's own pages. */
export interface BrandLink {
  name: "help" | "terms" | "privacy" | "contact";
  href: string;
}

/** Returns the links that an operator has set. */
export function brandLinks({ helpUrl, termsUrl, privacyUrl, supportEmail }: BrandSettings): BrandLink[] {
  const contact = supportEmail && `mailto:${supportEmail}`;
  const links = Object.entries({ help: helpUrl, terms: termsUrl, privacy: privacyUrl, contact });
  return links.flatMap(([name, href]) => href === undefined ? [] : [{ name: name as BrandLink["name"], href }]);
}
