import { Isolated } from "./Isolated.tsx";

/** A link that starts an email to the address. */
export function MailLink({ address }: { address: string }) {
  return (
    <a href={mailtoUrl(address)}>
      <Isolated isLtr>{address}</Isolated>
    </a>
  );
}

/** Encodes the address: a question mark in it would otherwise start the headers of the email. Source: RFC 6068. */
function mailtoUrl(address: string): string {
  return `mailto:${address.split("@").map(encodeURIComponent).join("@")}`;
}
