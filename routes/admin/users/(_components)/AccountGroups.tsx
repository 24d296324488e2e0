import type { AccountReport } from "../../../../lib/admin/account_report.ts";
import { sourceNames, type SourceSettings } from "../../../../lib/admin/source_names.ts";
import { type Language, textsIn } from "../../../../lib/texts/texts.ts";
import { Isolated, IsolatedNames } from "../../../../lib/ui/Isolated.tsx";

interface AccountGroupsProps {
  report: AccountReport;
  config: SourceSettings;
  language: Language;
}

/** The groups of a person, and who says so. */
export function AccountGroups({ report: { id, groups }, config, language }: AccountGroupsProps) {
  const { adminGroups: texts } = textsIn(language);
  return (
    <section class="card" aria-labelledby="groups-title">
      <h2 id="groups-title">{texts.ofPerson.title}</h2>
      {groups.length === 0 ? <p>{texts.ofPerson.none}</p> : (
        <ul class="figures">
          {groups.map(({ name, title, sources }) => (
            <li key={name}>
              <a href={`/admin/groups/${name}`}>
                <Isolated>{title}</Isolated>
              </a>
              <span class="meta">
                <IsolatedNames names={sourceNames(sources, config, texts)} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <p class="actions">
        <a class="button secondary small" href={`/admin/users/${id}/groups`}>{texts.ofPerson.change}</a>
      </p>
    </section>
  );
}
