/** Opens links in a new tab, because the pages of this service refuse to be in a frame. */
const BASE = '<base target="_blank">';
const HEAD = /<head\b[^>]*>/i;

/** The HTML of an email, as a browser shows it. It runs no scripts. */
export function MailHtml({ subject, html }: { subject: string; html: string }) {
  return (
    <iframe
      class="mail-html"
      title={subject}
      loading="lazy"
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      srcdoc={HEAD.test(html) ? html.replace(HEAD, (head) => head + BASE) : `<!DOCTYPE html>${BASE}${html}`}
    />
  );
}
