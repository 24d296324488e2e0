import type { AccountReport } from "../../../../lib/admin/account_report.ts";
import { ACCOUNT_ACTS, type AccountActName, offeredActs } from "../../../../lib/admin/acts.ts";
import { type Language, textsIn } from "../../../../lib/texts/texts.ts";

interface AccountActsProps {
  report: AccountReport;
  language: Language;
}

/** What an admin can do for an account and, apart from that, against it. */
export function AccountActs({ report, language }: AccountActsProps) {
  const { adminAccount: { actGroups: texts } } = textsIn(language);
  const { help = [], danger = [] } = Object.groupBy(
    offeredActs(report),
    (act) => ACCOUNT_ACTS[act].isDangerous ? "danger" : "help",
  );
  return (
    <section class="card" aria-labelledby="acts-title">
      <h2 id="acts-title">{texts.help}</h2>
      <Acts id={report.id} acts={help} language={language} />
      <details>
        <summary>{texts.danger}</summary>
        <Acts id={report.id} acts={danger} language={language} />
      </details>
    </section>
  );
}

function Acts({ id, acts, language }: { id: string; acts: AccountActName[]; language: Language }) {
  const { adminAccount: texts } = textsIn(language);
  return (
    <div class="actions">
      {acts.map((act) => (
        <a
          key={act}
          class={ACCOUNT_ACTS[act].isDangerous ? "button danger small" : "button secondary small"}
          href={`/admin/users/${id}/${act}`}
        >
          {texts.acts[act].submit}
        </a>
      ))}
    </div>
  );
}
