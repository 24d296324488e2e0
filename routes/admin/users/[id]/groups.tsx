import { type Context, page, type PageResponse } from "fresh";
import { actorIn } from "../../../../lib/access/principal.ts";
import { reportAccount } from "../../../../lib/admin/account_report.ts";
import { GroupsFormSchema } from "../../../../lib/admin/schema.ts";
import { sourceNames } from "../../../../lib/admin/source_names.ts";
import { type Group, listGroups } from "../../../../lib/groups/group.ts";
import { ADMIN_SOURCE, type Membership, setGroups } from "../../../../lib/groups/membership.ts";
import { parseFormWithList } from "../../../../lib/http/text_body.ts";
import { type Texts, textsIn } from "../../../../lib/texts/texts.ts";
import { AccountLine } from "../../../../lib/ui/account/AccountLine.tsx";
import { Isolated } from "../../../../lib/ui/Isolated.tsx";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import { withData } from "../../../../lib/web/pages/page_data.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import {
  askForProof,
  EMPTY_PROVEN_FORM,
  type ProvenFormState,
  submitWithProof,
} from "../../../../lib/web/pages/proof.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { ActForm } from "../../(_components)/ActForm.tsx";
import { AdminPage } from "../../(_components)/AdminPage.tsx";

const PATH = "/admin/users";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  GET: async (ctx) => await askForProof(ctx) ?? await withGroups(ctx, page(EMPTY_PROVEN_FORM)),
  async POST(ctx) {
    const { services } = ctx.state;
    const { id: userId } = ctx.params;
    const result = await submitWithProof(ctx, GroupsFormSchema, async ({ groups, reason }, principal) => {
      const hasChanged = await setGroups(services, { userId, groups, by: actorIn(principal), reason });
      return redirectWithNotice(ctx, `${PATH}/${userId}`, hasChanged ? "groups_saved" : "admin_unchanged");
    }, {
      field: "groups",
      parse: (req) => parseFormWithList(req, "groups"),
      errorText: ({ code }, { adminGroups }) => code === "TOO_MANY" ? adminGroups.tooManyOfPerson : undefined,
    });
    return await withGroups(ctx, result);
  },
});

function withGroups(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  return withData(result, async ({ values }) => {
    const { services } = ctx.state;
    const { id, name, email, groups: current } = await reportAccount(services, ctx.params.id);
    const chosen = values.groups?.split(" ") ??
      current.filter(({ sources }) => sources.includes(ADMIN_SOURCE)).map(({ name }) => name);
    return { person: { id, name, email }, groups: await listGroups(services.db, services.now()), current, chosen };
  });
}

export default define.page<typeof handler>(function GroupsOfPage({ data, state: { language, services } }) {
  const { person: { id, name, email }, groups, current, chosen, message, details } = data;
  const { adminAccount, adminGroups } = textsIn(language);
  const texts = adminGroups.ofPerson;
  const errors = details.groups;
  return (
    <AdminPage
      language={language}
      title={texts.change}
      message={message}
      back={{ href: `${PATH}/${id}`, text: adminAccount.backTo({ name }) }}
    >
      <p>{texts.lead}</p>
      <AccountLine name={name} email={email} avatar={null} />
      {groups.length === 0
        ? (
          <div class="empty">
            <p>{texts.noGroups}</p>
            <a class="button secondary" href="/admin/groups">{adminGroups.save.title}</a>
          </div>
        )
        : (
          <ActForm
            action={`${PATH}/${id}/groups`}
            form={data}
            isReasonRequired
            submit={texts.submit}
            labels={{ groups: texts.legend }}
            language={language}
          >
            <fieldset
              id="groups"
              tabindex={-1}
              autofocus={errors !== undefined}
              aria-describedby={errors && "groups-error"}
            >
              <legend>{texts.legend}</legend>
              <div class="kinds">
                {groups.map((group) => (
                  <GroupChoice
                    key={group.name}
                    group={group}
                    isChosen={chosen.includes(group.name)}
                    others={sourceNames(otherSources(current, group.name), services.config, adminGroups)}
                    texts={texts}
                  />
                ))}
              </div>
              {errors && <p class="field-error" id="groups-error">{errors.join(". ")}</p>}
            </fieldset>
          </ActForm>
        )}
    </AdminPage>
  );
});

/** Who else says that the person is in a group. */
function otherSources(current: Membership[], name: string): string[] {
  return current.find((group) => group.name === name)?.sources.filter((source) => source !== ADMIN_SOURCE) ?? [];
}

interface GroupChoiceProps {
  group: Group;
  isChosen: boolean;
  /** Who else says so. */
  others: string[];
  texts: Texts["adminGroups"]["ofPerson"];
}

function GroupChoice({ group: { name, title }, isChosen, others, texts }: GroupChoiceProps) {
  return (
    <label class="choice">
      <input type="checkbox" name="groups[]" value={name} checked={isChosen} />
      <span>
        <Isolated>{title}</Isolated> <code>{name}</code>{" "}
        {others.length > 0 && <span class="hint">{texts.also({ sources: others.join(", ") })}</span>}
      </span>
    </label>
  );
}
