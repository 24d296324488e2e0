import type { Texts } from "../../texts/texts.ts";

interface TotpSectionProps {
  account: { hasTotp: boolean; recoveryCodesLeft: number; email_verified: boolean };
  texts: Texts["secondFactor"]["section"];
}

const PAGE = "/settings/sign-in-methods/authenticator";

/** The authenticator app among the sign-in methods. */
export function TotpSection(
  { account: { hasTotp, recoveryCodesLeft, email_verified: isVerified }, texts }: TotpSectionProps,
) {
  return (
    <section class="card">
      <h2>{texts.title}</h2>
      {hasTotp
        ? (
          <>
            <p>{texts.on} {texts.codesLeft({ left: recoveryCodesLeft })}</p>
            <p class="actions">
              <a class="button secondary" href={`${PAGE}/recovery-codes`}>{texts.newCodes}</a>
              <a class="button secondary" href={PAGE}>{texts.replace}</a>
              <a class="button secondary" href={`${PAGE}/remove`}>{texts.remove}</a>
            </p>
          </>
        )
        : (
          <>
            <p>{isVerified ? texts.off : texts.verifyFirst}</p>
            {isVerified && (
              <p>
                <a class="button secondary" href={PAGE}>{texts.add}</a>
              </p>
            )}
          </>
        )}
    </section>
  );
}
