import type { Mail } from "../services.ts";
import type { Language } from "../texts/texts.ts";

/** The parts of an email that carries a link. */
export interface LinkMailParts {
  subject: string;
  before: string;
  action: string;
  link: string;
  after: string;
  /** A second link, below the button. */
  other?: { action: string; link: string };
  /** Introduces the bare link, for mail programs in which the button does not work. */
  buttonNotWorking: string;
}

/** The brand colour of the site, `--brand` in static/styles.css. Mail programs do not support custom properties. */
export const BRAND_COLOR = "#1f6355";

const BUTTON_STYLE = "display: inline-block; padding: 0.7em 1.4em; border-radius: 0.5em; " +
  `background: ${BRAND_COLOR}; color: #ffffff; font-weight: 600; text-decoration: none`;

/** The parts of an email that asks for nothing. */
export type NoticeMailParts = Pick<LinkMailParts, "subject" | "before" | "after">;

/** The parts of an email that carries a code. */
export interface CodeMailParts extends NoticeMailParts {
  code: string;
}

type LaidOut = Pick<Mail, "subject" | "html" | "text">;

/** Lays out an email that carries a link, as HTML and as plain text. */
export function layOutLinkMail(parts: LinkMailParts, language: Language): LaidOut {
  const { subject, before, action, link, after, other, buttonNotWorking } = parts;
  const content = [
    paragraph(escapeHtml(before)),
    `<p style="margin: 2em 0"><a href="${escapeHtml(link)}" style="${BUTTON_STYLE}">${escapeHtml(action)}</a></p>`,
    smallPrint(escapeHtml(after)),
    ...other === undefined ? [] : [paragraph(`<a href="${escapeHtml(other.link)}">${escapeHtml(other.action)}</a>`)],
    smallPrint(
      `${escapeHtml(buttonNotWorking)}<br>\n<span style="word-break: break-all">${escapeHtml(link)}</span>`,
    ),
  ];
  return {
    subject,
    text: `${before}\n\n${action}:\n${link}\n\n${after}\n${other ? `\n${other.action}:\n${other.link}\n` : ""}`,
    html: htmlOf({ subject, content, language }),
  };
}

/** Lays out an email that carries a code, as HTML and as plain text. */
export function layOutCodeMail({ subject, before, code, after }: CodeMailParts, language: Language): LaidOut {
  const content = [
    paragraph(escapeHtml(before)),
    `<p style="margin: 1em 0; font-size: 2em; letter-spacing: 0.15em">${escapeHtml(code)}</p>`,
    smallPrint(escapeHtml(after)),
  ];
  return { subject, text: `${before}\n\n${code}\n\n${after}\n`, html: htmlOf({ subject, content, language }) };
}

/** Lays out an email that asks for nothing, as HTML and as plain text. */
export function layOutNoticeMail({ subject, before, after }: NoticeMailParts, language: Language): LaidOut {
  const content = [paragraph(escapeHtml(before)), smallPrint(escapeHtml(after))];
  return { subject, text: `${before}\n\n${after}\n`, html: htmlOf({ subject, content, language }) };
}

function paragraph(html: string): string {
  return `<p>${html}</p>`;
}

function smallPrint(html: string): string {
  return `<p style="font-size: 0.9em; opacity: 0.8">${html}</p>`;
}

function htmlOf({ subject, content, language }: { subject: string; content: string[]; language: Language }): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin: 0; padding: 2em 1em; font: 16px/1.6 system-ui, sans-serif">
<div style="max-width: 34em; margin: 0 auto">
<h1 style="font-size: 1.4em; line-height: 1.25; margin: 0 0 1em">${escapeHtml(subject)}</h1>
${content.join("\n")}
</div>
</body>
</html>
`;
}

const HTML_ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => HTML_ENTITIES[character]);
}
