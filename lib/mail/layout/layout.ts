import type { Brand } from "../../brand/brand.ts";
import type { Palette } from "../../brand/palette.ts";
import type { Mail } from "../../services/services.ts";
import { filledLayout } from "../../texts/compiler/mail_frame.ts";
import { buttonRow, codeBox, escapeHtml, factsTable, letterhead, paragraph, smallPrint } from "./blocks.ts";
import type { MailParts, MailSite } from "./parts.ts";
import { STYLES, styleSheet, SURFACES } from "./styles.ts";

/**
 * Lays out an email, as HTML and as plain text, in the same order. The HTML is readable without its style sheet,
 * without images, and in mail programs that ignore backgrounds, rounded corners and the space around links.
 */
export function layOutMail(parts: MailParts, site: MailSite): Pick<Mail, "subject" | "html" | "text"> {
  const { frame: { html, text = "{content}\n\n{footer}\n" } = {} } = site;
  return {
    subject: parts.subject,
    text: filledLayout(text, textParts(parts)),
    html: html === undefined ? htmlOf(parts, site) : filledLayout(html, htmlParts(parts, site)),
  };
}

/** Groups the digits of a code, so that people can read it and compare it. */
export function groupedCode(code: string): string {
  return code.replaceAll(/(.{4})(?=.)/g, "$1 ");
}

function textParts(
  { heading, summary, details, facts, code, action, alarm, after, links, sentTo, footer = "" }: MailParts,
): { content: string; footer: string } {
  const content = [
    summary,
    /[.?؟]$/.test(heading) ? heading : `${heading}.`,
    ...details,
    facts.map(([label, value]) => `${label}: ${value}`).join("\n"),
    code ?? "",
    ...[action, alarm].map((link) => link === undefined ? "" : `${link.text}:\n${link.link}`),
    after,
  ];
  const end = [[...links.map(({ text, link }) => `${text}: ${link}`), sentTo].join("\n"), footer];
  return { content: paragraphs(content), footer: paragraphs(end) };
}

function paragraphs(texts: string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/** The parts of an email inside a frame that does not know its language. */
function htmlParts(parts: MailParts, { brand, language }: MailSite): { content: string; footer: string } {
  const { tag, direction } = language;
  const inLanguage = (html: string) => `<div lang="${tag}" dir="${direction}">\n${html}\n</div>`;
  return {
    content: inLanguage(`${preheader(parts)}\n${cardOf(parts, brand.palette, language)}`),
    footer: inLanguage(footerOf(parts)),
  };
}

function preheader({ summary }: MailParts): string {
  return `<div style="${STYLES.preheader}">${escapeHtml(summary)}</div>`;
}

function htmlOf(parts: MailParts, { brand, baseUrl, language }: MailSite): string {
  return `<!DOCTYPE html>
<html lang="${language.tag}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${escapeHtml(parts.subject)}</title>
<style>${styleSheet(brand.palette, brand.settings.style !== "plain")}</style>
</head>
<body class="page" bgcolor="${SURFACES.page}" style="margin: 0; padding: 0; background-color: ${SURFACES.page}">
${preheader(parts)}
<main>
<table role="presentation" class="page" bgcolor="${SURFACES.page}" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td align="center" style="padding: 24px 12px 32px">
<table role="presentation" width="560" cellpadding="0" cellspacing="0" border="0" style="width: 100%; max-width: 560px">
<tr><td style="padding: 0 4px 16px">
${letterhead({ ...brand, logo: mailLogo(brand, baseUrl) })}
</td></tr>
<tr><td class="card" bgcolor="${SURFACES.card}" style="${STYLES.card}">
${cardOf(parts, brand.palette, language)}
</td></tr>
<tr><td style="padding: 20px 4px 0">
${footerOf(parts)}
</td></tr>
</table>
</td></tr>
</table>
</main>
</body>
</html>
`;
}

/** Mail programs show no SVG. */
function mailLogo({ icons, picture }: Brand, baseUrl: string): string | null {
  if (icons === null) return `${baseUrl}/icon-192.png`;
  return picture && new URL(picture, baseUrl).href;
}

function cardOf(
  { heading, summary, details, facts, code, action, alarm, after }: MailParts,
  palette: Palette,
  { direction }: MailSite["language"],
): string {
  const hasBoth = action !== undefined && alarm !== undefined;
  return [
    `<h1 class="text" style="${STYLES.heading}">${escapeHtml(heading)}</h1>`,
    paragraph(summary),
    ...details.map(paragraph),
    ...facts.length > 0 ? [factsTable(facts, direction)] : [],
    ...code === undefined ? [] : [codeBox(groupedCode(code))],
    ...action === undefined ? [] : [buttonRow(action, "button", palette)],
    ...alarm === undefined || hasBoth ? [] : [buttonRow(alarm, "danger", palette)],
    smallPrint(after, hasBoth ? alarm : undefined),
  ].join("\n");
}

function footerOf({ action, alarm, buttonNotWorking, links, sentTo, footer }: MailParts): string {
  const button = action ?? alarm;
  const link = button === undefined ? [] : [
    `${escapeHtml(buttonNotWorking)}<br>\n` +
    `<a class="soft" dir="ltr" href="${escapeHtml(button.link)}" style="${STYLES.bareLink}">` +
    `${escapeHtml(button.link)}</a>`,
  ];
  const pages = links.map(({ text, link }) =>
    `<a class="soft" href="${escapeHtml(link)}" style="${STYLES.footerLink}">${escapeHtml(text)}</a>`
  ).join(" &nbsp; ");
  const lines = [
    ...link,
    ...pages === "" ? [] : [pages],
    escapeHtml(sentTo),
    ...footer === undefined ? [] : [escapeHtml(footer)],
  ];
  return lines.map((html) => `<p class="soft" style="${STYLES.footer}">${html}</p>`).join("\n");
}
