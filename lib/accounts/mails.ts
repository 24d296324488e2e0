import type { Config } from "../config.ts";
import type { Mail } from "../services.ts";
import type { User } from "./user.ts";

/** The mail with which an address is verified or disowned. Source: spec, Account rule 1. */
export function verificationMail(user: User, token: string, { baseUrl }: Config): Mail {
  const query = new URLSearchParams({ email: user.email, token });
  return linkMail({
    to: user.email,
    subject: "Verify your email address",
    paragraphs: [
      // Not the name: until the address is verified, somebody else may have chosen it.
      "Please confirm that this address is yours.",
      "If you did not register, the page behind the link lets you say so, and the account is deleted.",
    ],
    link: `${baseUrl}/verify-email?${query}`,
    action: "Verify email address",
  });
}

/** A mail around one link, in text and in HTML; everything but the link is escaped there. */
function linkMail({ to, subject, paragraphs, link, action }: {
  to: string;
  subject: string;
  paragraphs: string[];
  link: string;
  action: string;
}): Mail {
  const html = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join("\n");
  return {
    to,
    subject,
    text: `${paragraphs.join("\n\n")}\n\n${link}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>
<body style="font-family: system-ui, sans-serif; line-height: 1.5; max-width: 36em; margin: 2em auto; padding: 0 1em">
${html}
<p><a href="${escapeHtml(link)}">${escapeHtml(action)}</a></p>
</body>
</html>
`,
  };
}

const HTML_ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => HTML_ENTITIES[character]);
}
