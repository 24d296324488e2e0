import type { ComponentChildren } from "preact";
import type { AccountReport } from "../../../../lib/admin/account_report.ts";
import { sizeText } from "../../../../lib/texts/size_text.ts";
import { type Language, textsIn } from "../../../../lib/texts/texts.ts";
import { IsolatedNames } from "../../../../lib/ui/Isolated.tsx";
import { Moment } from "../../../../lib/ui/account/Origin.tsx";

interface AccountFactsProps {
  report: AccountReport;
  /** Whether people may store files. */
  hasFiles: boolean;
  language: Language;
}

/** What an account has and uses. */
export function AccountFacts({ report, hasFiles, language }: AccountFactsProps) {
  const { adminAccount: { facts: texts }, sizes } = textsIn(language);
  const { sessions, factors, tokens, waysIn: { providers }, storage: { usedBytes, quotaBytes } } = report;
  const used = sizeText(usedBytes, sizes);
  const moment = (date: Date) => <Moment date={date} locale={language.locale} />;
  return (
    <section class="card" aria-labelledby="facts-title">
      <h2 id="facts-title">{texts.title}</h2>
      <ul class="figures">
        <Fact label={texts.sessions}>{sessions.count}</Fact>
        <Fact label={texts.lastSeen}>{sessions.lastSeenAt === null ? texts.never : moment(sessions.lastSeenAt)}</Fact>
        <Fact label={texts.app}>{factors.totp ? texts.yes : texts.no}</Fact>
        {factors.removalDueAt !== null && <Fact label={texts.removal}>{moment(factors.removalDueAt)}</Fact>}
        <Fact label={texts.recoveryCodes}>{factors.recoveryCodesLeft}</Fact>
        <Fact label={texts.passkeys}>{factors.passkeys}</Fact>
        <Fact label={texts.connected}>
          {providers.length === 0 ? 0 : <IsolatedNames names={providers.map(({ name, email }) => email ?? name)} />}
        </Fact>
        <Fact label={texts.tokens}>
          {tokens.length === 0 ? 0 : <IsolatedNames names={tokens.map(({ name }) => name)} />}
        </Fact>
        {hasFiles && (
          <Fact label={texts.files}>
            {quotaBytes === 0 ? used : texts.usedOf({ used, quota: sizeText(quotaBytes, sizes) })}
          </Fact>
        )}
      </ul>
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <li>
      <span>{label}</span>
      <strong>
        {children}
      </strong>
    </li>
  );
}
