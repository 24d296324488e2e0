import type { Words } from "../../words/words.ts";

interface TotpSectionProps {
  account: { hasTotp: boolean; recoveryCodesLeft: number; email_verified: boolean };
  words: Words["secondFactor"]["section"];
}

const PAGE = "/settings/sign-in-methods/authenticator";

/** The authenticator app among the sign-in methods. */
export function TotpSection(
  { account: { hasTotp, recoveryCodesLeft, email_verified: isVerified }, words }: TotpSectionProps,
) {
  return (
    <section class="card">
      <h2>{words.title}</h2>
      {hasTotp
        ? (
          <>
            <p>{words.on} {words.codesLeft(recoveryCodesLeft)}</p>
            <p class="actions">
              <a class="button secondary" href={`${PAGE}/recovery-codes`}>{words.newCodes}</a>
              <a class="button secondary" href={PAGE}>{words.replace}</a>
              <a class="button secondary" href={`${PAGE}/remove`}>{words.remove}</a>
            </p>
          </>
        )
        : (
          <>
            <p>{isVerified ? words.off : words.verifyFirst}</p>
            {isVerified && (
              <p>
                <a class="button secondary" href={PAGE}>{words.add}</a>
              </p>
            )}
          </>
        )}
    </section>
  );
}
