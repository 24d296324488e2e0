import type { Words } from "../../words/words.ts";

interface TotpKeyProps {
  setup: { secret: string; uri: string; qr: string };
  words: Words["secondFactor"]["setup"];
}

/** What people give to their authenticator app: a QR code, and the same as text for those who cannot scan it. */
export function TotpKey({ setup: { secret, uri, qr }, words }: TotpKeyProps) {
  return (
    <>
      <p>{words.scan}</p>
      {/* The code is drawn by us, from characters that we have encoded. */}
      <div class="qr-code" role="img" aria-label={words.qr} dangerouslySetInnerHTML={{ __html: qr }} />
      <p>
        <a href={uri}>{words.openApp}</a>
      </p>
      <p>
        {words.secret} <code class="totp-key" dir="ltr">{secret.replaceAll(/.{4}(?=.)/g, "$& ")}</code>
      </p>
    </>
  );
}
