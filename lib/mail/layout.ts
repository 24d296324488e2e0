import type { Mail } from "../services.ts";
import type { Language } from "../words/words.ts";

/** The parts of an email that carries a link. */
export interface LinkMailParts {
  subject: string;
  before: string;
  action: string;
  link: string;
  after: string;
  /** Introduces the bare link, for mail programs in which the button does not work. */
  buttonNotWorking: string;
}

/** The brand colour of the site, `--brand` in static/styles.css. Mail programs do not support custom properties. */
export const BRAND_COLOR = "#1f6355";

const BUTTON_STYLE = "display: inline-block; padding: 0.7em 1.4em; border-radius: 0.5em; " +
  `background: ${BRAND_COLOR}; color: #ffffff; font-weight: 600; text-decoration: none`;

/** Lays out an email that carries a link, as HTML and as plain text. */
export function layOutLinkMail(parts: LinkMailParts, language: Language): Pick<Mail, "subject" | "html" | "text"> {
  const { subject, before, action, link, after } = parts;
  return { subject, text: `${before}\n\n${action}:\n${link}\n\n${after}\n`, html: htmlOf(parts, language) };
}

function htmlOf(parts: LinkMailParts, language: Language): string {
  const html = (part: keyof LinkMailParts) => escapeHtml(parts[part]);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${html("subject")}</title>
</head>
<body style="margin: 0; padding: 2em 1em; font: 16px/1.6 system-ui, sans-serif">
<div style="max-width: 34em; margin: 0 auto">
<h1 style="font-size: 1.4em; line-height: 1.25; margin: 0 0 1em">${html("subject")}</h1>
<p>${html("before")}</p>
<p style="margin: 2em 0"><a href="${html("link")}" style="${BUTTON_STYLE}">${html("action")}</a></p>
<p style="font-size: 0.9em; opacity: 0.8">${html("after")}</p>
<p style="font-size: 0.9em; opacity: 0.8">${html("buttonNotWorking")}<br>
<span style="word-break: break-all">${html("link")}</span></p>
</div>
</body>
</html>
`;
}

const HTML_ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => HTML_ENTITIES[character]);
}
