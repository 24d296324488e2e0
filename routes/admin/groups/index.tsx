import { type Context, page, type PageResponse } from "fresh";
import { actorIn } from "../../../lib/access/principal.ts";
import { COUNTED_MAX, type Group, listGroups, openedByGroups, saveGroup } from "../../../lib/groups/group.ts";
import { GroupFormSchema, GroupPageSchema } from "../../../lib/groups/schema.ts";
import { parseFilters } from "../../../lib/http/parse.ts";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { ProofFields, proofLabels } from "../../../lib/ui/account/ProofFields.tsx";
import { Field } from "../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../lib/ui/form/FormMessage.tsx";
import { Isolated } from "../../../lib/ui/Isolated.tsx";
import { type Column, Table } from "../../../lib/ui/list/Table.tsx";
import { redirectWithNotice } from "../../../lib/web/pages/notice.ts";
import { withData } from "../../../lib/web/pages/page_data.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import {
  EMPTY_PROVEN_FORM,
  findMissingProof,
  type ProvenFormState,
  submitWithProof,
} from "../../../lib/web/pages/proof.ts";
import { define, type State } from "../../../lib/web/state.ts";
import { AdminPage } from "../(_components)/AdminPage.tsx";

const PATH = "/admin/groups";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  GET: async (ctx) => await withGroups(ctx, page({ ...EMPTY_PROVEN_FORM, proof: await findMissingProof(ctx) })),
  async POST(ctx) {
    const { services } = ctx.state;
    const result = await submitWithProof(ctx, GroupFormSchema, async ({ groupName, groupTitle }, principal) => {
      await saveGroup(services, { name: groupName, title: groupTitle, by: actorIn(principal) });
      return redirectWithNotice(ctx, `${PATH}/${groupName}`, "group_saved");
    }, { errorText: ({ code }, { adminGroups }) => code === "TOO_MANY" ? adminGroups.tooMany : undefined });
    return await withGroups(ctx, result);
  },
});

/** Adds the list. The form shows the group of the address, if it is the first time. */
function withGroups(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  return withData(result, async ({ values }) => {
    const { services: { db, config, now } } = ctx.state;
    const groups = await listGroups(db, now());
    const { group: name } = parseFilters(ctx.url, GroupPageSchema);
    const group = groups.find((each) => each.name === name);
    const opened = openedByGroups(config);
    return {
      groups: groups.map((each) => ({ ...each, id: each.name, places: opened.get(each.name)?.length ?? 0 })),
      values: group && values.groupName === undefined
        ? { ...values, groupName: group.name, groupTitle: group.title }
        : values,
    };
  });
}

type ListedGroup = Group & { id: string; places: number };

export default define.page<typeof handler>(function GroupsPage({ data, state: { language } }) {
  const { groups, message } = data;
  const { adminGroups: texts } = textsIn(language);
  return (
    <AdminPage language={language} title={texts.title} message={message}>
      <p>{texts.lead}</p>
      {groups.length === 0 ? <p class="empty">{texts.none}</p> : (
        <>
          <p>
            <a class="button secondary" href="#save">{texts.save.title}</a>
          </p>
          <Table label={texts.title} columns={columnsIn(language)} entries={groups} />
        </>
      )}
      <SaveForm form={data} language={language} />
    </AdminPage>
  );
});

function columnsIn(language: Language): Column<ListedGroup>[] {
  const { adminGroups: texts } = textsIn(language);
  const { heads } = texts;
  return [
    {
      head: heads.group,
      is: "title",
      cell: ({ name, title }) => (
        <>
          <a class="event row-link" href={`${PATH}/${name}`}>
            <Isolated>{title}</Isolated>
          </a>
          <p class="meta">
            <code>{name}</code>
          </p>
        </>
      ),
    },
    {
      head: heads.people,
      cell: ({ members }) => texts.people({ count: members, precision: members >= COUNTED_MAX ? "more" : "exact" }),
    },
    { head: heads.opens, cell: ({ places }) => texts.places({ count: places }) },
  ];
}

/** The form that creates or renames. */
function SaveForm({ form, language }: { form: ProvenFormState; language: Language }) {
  const catalog = textsIn(language);
  const { adminGroups: { save: texts }, proof: proofTexts } = catalog;
  const { values, message, details, proof } = form;
  const labels = { groupName: texts.name, groupTitle: texts.groupTitle };
  return (
    <section id="save" class="card" aria-labelledby="save-title">
      <h2 id="save-title">{texts.title}</h2>
      <form method="post" action={PATH} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={{ ...labels, ...proofLabels(proofTexts) }} />
        <Field
          name="groupName"
          label={labels.groupName}
          hint={texts.nameHint}
          autocomplete="off"
          autocapitalize="none"
          dir="ltr"
          required
          value={values.groupName}
          errors={details.groupName}
        />
        <Field
          name="groupTitle"
          label={labels.groupTitle}
          hint={texts.titleHint}
          autocomplete="off"
          required
          value={values.groupTitle}
          errors={details.groupTitle}
        />
        <ProofFields proof={proof} details={details} texts={catalog} />
        <button type="submit">{texts.submit}</button>
      </form>
    </section>
  );
}
