import type { Config } from "../config.ts";
import { durationText } from "../schemas/messages.ts";
import type { Mail } from "../services.ts";

/**
 * The mails that carry a link. None names the user: until an address is verified, somebody else may have chosen the
 * name, and could put words into our mouth.
 */

/** Whom an email goes to. */
interface Recipient {
  email: string;
}

/** The mail with which an address is verified or disowned. Source: spec, Account rule 1. */
export function verificationMail({ email }: Recipient, token: string, { baseUrl }: Config): Mail {
  return linkMail({
    to: email,
    subject: "Verify your email address",
    before: "Somebody, hopefully you, has registered with this address. Please confirm that it is yours.",
    link: linkTo(`${baseUrl}/verify-email`, { email, token }),
    action: "Verify my address",
    after: "If it was not you, the same page lets you say so, and the account is deleted.",
  });
}

/** The mail with which a forgotten password is replaced. */
export function resetMail({ email }: Recipient, token: string, { baseUrl }: Config): Mail {
  return linkMail({
    to: email,
    subject: "Set a new password",
    before: "Somebody, hopefully you, has asked for a new password for your account.",
    link: linkTo(`${baseUrl}/reset-password`, { email, token }),
    action: "Set a new password",
    after: "The link works once and not for long. If it was not you, do nothing: your password stays as it is.",
  });
}

/** The mail with which an invited user sets a first password. */
export function invitationMail({ email }: Recipient, token: string, { baseUrl, invitationTtlSeconds }: Config): Mail {
  return linkMail({
    to: email,
    subject: "You're invited to Foyer",
    before: `An account has been created for you at ${new URL(baseUrl).host}. Choose a password to start using it.`,
    link: linkTo(`${baseUrl}/reset-password`, { email, token, invitation: "true" }),
    action: "Accept invitation",
    after: `This link works once and expires after ${durationText(invitationTtlSeconds)}. ` +
      "After that, choose “Forgot your password?” on the login page.",
  });
}

function linkTo(address: string, query: Record<string, string>): string {
  return `${address}?${new URLSearchParams(query)}`;
}

interface LinkMail {
  to: string;
  subject: string;
  before: string;
  link: string;
  action: string;
  after: string;
}

function linkMail({ to, subject, before, link, action, after }: LinkMail): Mail {
  return {
    to,
    subject,
    text: `${before}\n\n${action}:\n${link}\n\n${after}\n`,
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin: 0; padding: 2em 1em; font: 16px/1.6 system-ui, sans-serif">
<div style="max-width: 34em; margin: 0 auto">
<h1 style="font-size: 1.4em; line-height: 1.25; margin: 0 0 1em">${escapeHtml(subject)}</h1>
<p>${escapeHtml(before)}</p>
<p style="margin: 2em 0">
<a href="${escapeHtml(link)}" style="${BUTTON}">${escapeHtml(action)}</a>
</p>
<p style="font-size: 0.9em; opacity: 0.8">${escapeHtml(after)}</p>
<p style="font-size: 0.8em; opacity: 0.7; word-break: break-all">${escapeHtml(link)}</p>
</div>
</body>
</html>
`,
  };
}

const BUTTON = "display: inline-block; padding: 0.7em 1.4em; border-radius: 0.5em; background: #2c4fc9; " +
  "color: #ffffff; font-weight: 600; text-decoration: none";

const HTML_ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => HTML_ENTITIES[character]);
}
