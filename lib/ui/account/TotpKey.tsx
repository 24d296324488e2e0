import type { Texts } from "../../texts/texts.ts";

interface TotpKeyProps {
  setup: { secret: string; uri: string; qr: string };
  texts: Texts["secondFactor"]["setup"];
}

/** What people give to their authenticator app: a QR code, and the same as text for those who cannot scan it. */
export function TotpKey({ setup: { secret, uri, qr }, texts }: TotpKeyProps) {
  return (
    <>
      <p>{texts.scan}</p>
      {/* The code is drawn by us, from characters that we have encoded. */}
      <div class="qr-code" role="img" aria-label={texts.qr} dangerouslySetInnerHTML={{ __html: qr }} />
      <p>
        <a href={uri}>{texts.openApp}</a>
      </p>
      <p>
        {texts.secret} <code class="totp-key" dir="ltr">{secret.replaceAll(/.{4}(?=.)/g, "$& ")}</code>
      </p>
    </>
  );
}
