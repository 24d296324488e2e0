/** The custom properties of static/styles.css, which BRAND_CSS may replace. A test compares both. */
export const THEME_PROPERTIES = [
  ...["accent", "accent-hover", "accent-surface", "on-accent", "background", "surface", "text", "text-soft", "line"],
  ...["line-soft", "sunken", "shadow", "shadow-high", "good", "good-surface", "warn", "warn-surface", "danger"],
  ...["danger-surface", "tone", "tone-surface", "font-xs", "font-s", "font-m", "font-l", "font-xl", "font-2xl"],
  ...["weight-strong", "space-1", "space-label", "space-2", "space-3", "space-4", "space-5", "space-6", "space-7"],
  ...["space-8", "space-9", "space-edge", "width-form", "width-text", "width-page", "size-control", "radius"],
  ...["radius-card", "arch", "serif"],
];

const COMMENT = /\/\*[^]*?\*\//g;
const RULE = /^\s*:root\s*\{([^{}]*)\}/;
const MEDIA = /^\s*@media[^{}<]*\{((?:\s*:root\s*\{[^{}]*\})+)\s*\}/;
/** Loads something, starts a rule or a tag, or escapes a character that would. */
const UNSAFE = /url\(|image-set\(|[@<\\]/i;

/**
 * Returns what is wrong with a style sheet of the operator, or null. It may only set our custom properties on `:root`.
 */
export function themeProblem(css: string): string | null {
  let rest = css.replaceAll(COMMENT, "").trim();
  while (rest !== "") {
    const [whole, body] = RULE.exec(rest) ?? MEDIA.exec(rest) ?? [];
    if (whole === undefined) {
      return `may only have rules for :root, also in @media, but has: ${rest.split("\n")[0].slice(0, 60)}`;
    }
    const problem = declarationsOf(body).map(declarationProblem).find((problem) => problem !== null);
    if (problem !== undefined) return problem;
    rest = rest.slice(whole.length).trim();
  }
  return null;
}

function declarationsOf(body: string): string[] {
  return body.replaceAll(/:root\s*\{|\}/g, ";").split(";").map((line) => line.trim()).filter(Boolean);
}

function declarationProblem(declaration: string): string | null {
  const [, name, value] = /^--([\w-]+)\s*:\s*(\S[^]*)$/.exec(declaration) ?? [];
  if (name === undefined) return `may only set custom properties, but has: ${declaration.slice(0, 60)}`;
  if (!THEME_PROPERTIES.includes(name)) {
    return `sets --${name}, which is not a property of our style sheet; docs/brand.md lists them`;
  }
  return UNSAFE.test(value) ? `sets --${name} to something that loads or escapes` : null;
}
