import type { Palette } from "../../brand/palette.ts";
import type { MailFact, MailLink } from "./parts.ts";
import { brandStyles, STYLES, SURFACES } from "./styles.ts";

const TABLE = 'cellpadding="0" cellspacing="0" border="0"';

/** A paragraph of an email. */
export function paragraph(text: string): string {
  return `<p class="text" style="${STYLES.text}">${escapeHtml(text)}</p>`;
}

/** The small print of an email, which may end with a link. */
export function smallPrint(text: string, link?: MailLink): string {
  const end = link === undefined ? "" : `<br>\n${anchor(link, "danger-link", STYLES.smallLink)}`;
  return `<p class="soft" style="${STYLES.smallPrint}">${escapeHtml(text)}${end}</p>`;
}

/** The facts of an email, with a thin line below each. */
export function factsTable(facts: MailFact[], direction: "ltr" | "rtl"): string {
  const side = direction === "rtl"
    ? "padding: 9px 0 9px 12px; text-align: right"
    : "padding: 9px 12px 9px 0; text-align: left";
  const rows = facts.map(([label, value]) =>
    `<tr><th class="soft line" scope="row" width="96" valign="top" style="${STYLES.label}; ${side}">` +
    `${escapeHtml(label)}</th>` +
    `<td class="text line" valign="top" style="${STYLES.value}">${escapeHtml(value)}</td></tr>`
  );
  return `<table ${TABLE} width="100%" style="${STYLES.facts}">\n${rows.join("\n")}\n</table>`;
}

/** A code, large enough to read from another screen. In every language, it runs from left to right. */
export function codeBox(code: string): string {
  const { sunken } = SURFACES;
  return boxed(`<td class="sunken text" dir="ltr" bgcolor="${sunken}" style="${STYLES.code}">${escapeHtml(code)}</td>`);
}

/**
 * A button. Its cell has the colors, because mail programs such as Outlook for Windows ignore the space around links.
 */
export function buttonRow(link: MailLink, kind: "button" | "danger", palette: Palette): string {
  const surface = kind === "button" ? palette.accent.light : SURFACES.card;
  const own = brandStyles(palette);
  const style = kind === "button" ? own.buttonLink : STYLES.dangerLink;
  return boxed(
    `<td class="${kind}" bgcolor="${surface}" align="center" style="${{ ...STYLES, ...own }[kind]}">` +
      `${anchor(link, `${kind}-link`, style)}</td>`,
  );
}

/**
 * The logo and the name of the product. Without a picture, its first letter on the brand's color stands for the logo.
 */
export function letterhead({ name, logo, letter, palette }: Letterhead): string {
  const text = `<span class="text" style="padding: 0 4px; ${STYLES.name}; vertical-align: middle">${
    escapeHtml(name)
  }</span>`;
  if (logo !== null) {
    return `<img src="${escapeHtml(logo)}" alt="" width="24" style="vertical-align: middle; border: 0">\n${text}`;
  }
  return `<table role="presentation" ${TABLE}><tr>` +
    `<td class="tile" bgcolor="${palette.accent.light}" width="24" height="24" align="center" ` +
    `style="${brandStyles(palette).tile}" aria-hidden="true">${escapeHtml(letter)}</td>` +
    `<td style="padding: 0 4px">${text}</td></tr></table>`;
}

interface Letterhead {
  name: string;
  /** The address of a picture, or null. */
  logo: string | null;
  letter: string;
  palette: Palette;
}

function boxed(cell: string): string {
  return `<table role="presentation" ${TABLE} style="margin: 16px 0 20px"><tr>${cell}</tr></table>`;
}

function anchor({ text, link }: MailLink, name: string, style: string): string {
  return `<a class="${name}" href="${escapeHtml(link)}" style="${style}">${escapeHtml(text)}</a>`;
}

const HTML_ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => HTML_ENTITIES[character]);
}
