/**
 * The headers of every email besides its addresses and its subject. Absence notes do not answer an email that says it
 * was written by a program. Source: RFC 3834, 2 and 5.
 */
export const MAIL_HEADERS = { "Auto-Submitted": "auto-generated" };
