import { type Context, page, type PageResponse } from "fresh";
import { actorIn } from "../../../../lib/access/principal.ts";
import { getAccountId } from "../../../../lib/admin/locked_account.ts";
import { MemberFormSchema } from "../../../../lib/admin/schema.ts";
import { sourceNames, type SourceSettings } from "../../../../lib/admin/source_names.ts";
import { getGroup, groupNameIn, openedByGroups } from "../../../../lib/groups/group.ts";
import { type GroupMember, isRemovable, listMembers, setGroup } from "../../../../lib/groups/membership.ts";
import { parsePageQuery } from "../../../../lib/http/parse.ts";
import { cursorOfId, PageSchema } from "../../../../lib/schemas/list.ts";
import { type Language, type Texts, textsIn } from "../../../../lib/texts/texts.ts";
import { Field } from "../../../../lib/ui/form/Field.tsx";
import { Isolated, IsolatedNames } from "../../../../lib/ui/Isolated.tsx";
import { PageLinks } from "../../../../lib/ui/list/PageLinks.tsx";
import { type Column, Table } from "../../../../lib/ui/list/Table.tsx";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import { withData } from "../../../../lib/web/pages/page_data.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import {
  EMPTY_PROVEN_FORM,
  findMissingProof,
  type ProvenFormState,
  submitWithProof,
} from "../../../../lib/web/pages/proof.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { ActForm } from "../../(_components)/ActForm.tsx";
import { AdminPage } from "../../(_components)/AdminPage.tsx";
import { PersonCell } from "../../(_components)/PersonCell.tsx";

const PATH = "/admin/groups";
const PAGE_SIZE = 50;

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  GET: async (ctx) => await withGroup(ctx, page({ ...EMPTY_PROVEN_FORM, proof: await findMissingProof(ctx) })),
  async POST(ctx) {
    const { services } = ctx.state;
    const group = groupNameIn(ctx.params);
    const result = await submitWithProof(ctx, MemberFormSchema, async ({ who, reason }, principal) => {
      const userId = await getAccountId(services.db, who);
      const hasChanged = await setGroup(services, { userId, group, isMember: true, by: actorIn(principal), reason });
      return redirectWithNotice(ctx, `${PATH}/${group}`, hasChanged ? "group_joined" : "admin_unchanged");
    }, {
      field: "who",
      errorText: (error, { adminGroups: texts }) => {
        if (error.code === "TOO_MANY") return texts.tooManyOfPerson;
        return error.is("NOT_FOUND") && error.data.reason === "user" ? texts.noAccount : undefined;
      },
    });
    return await withGroup(ctx, result);
  },
});

function withGroup(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  return withData(result, async () => {
    const { services: { db, config, now } } = ctx.state;
    const { cursor } = parsePageQuery(ctx.url, PageSchema);
    const group = await getGroup(db, { name: groupNameIn(ctx.params), now: now() });
    const { name } = group;
    const { members, next } = await listMembers(db, { name, now: now(), limit: PAGE_SIZE, after: cursor });
    return { group, members, next, isFirst: cursor === undefined, opened: openedByGroups(config).get(name) ?? [] };
  });
}

export default define.page<typeof handler>(function GroupPage({ data, state: { language, services } }) {
  const { group: { name, title }, members, next, isFirst, opened, values, message, details } = data;
  const { admin, adminGroups: texts } = textsIn(language);
  const path = `${PATH}/${name}`;
  return (
    <AdminPage language={language} title={title} isName message={message} back={{ href: PATH, text: texts.back }}>
      <p class="meta">
        <code>{name}</code>
      </p>
      <div class="columns">
        <div>
          <h2>{texts.heads.people}</h2>
          {members.length === 0 ? <p class="empty">{texts.empty}</p> : (
            <Table
              label={texts.heads.people}
              columns={columnsIn(path, services.config, language)}
              entries={members}
            />
          )}
          <PageLinks
            path={path}
            filters={{}}
            nextCursor={next && cursorOfId(next)}
            isFirst={isFirst}
            texts={admin.list}
          />
        </div>
        <div>
          <section class="card" aria-labelledby="add-title">
            <h2 id="add-title">{texts.add.title}</h2>
            <ActForm
              action={path}
              form={data}
              isReasonRequired
              submit={texts.add.submit}
              labels={{ who: texts.add.who }}
              language={language}
            >
              <Field
                name="who"
                label={texts.add.who}
                inputmode="email"
                autocomplete="off"
                required
                value={values.who}
                errors={details.who}
              />
            </ActForm>
          </section>
          <Opened opened={opened} texts={texts} />
          <p class="actions">
            <a class="button secondary small" href={`${PATH}?group=${name}#save`}>{texts.rename}</a>
            <a class="button danger small" href={`${path}/delete`}>{texts.delete}</a>
          </p>
        </div>
      </div>
    </AdminPage>
  );
});

/** The apps and APIs that the group opens. */
function Opened({ opened, texts }: { opened: string[]; texts: Texts["adminGroups"] }) {
  return (
    <section class="card" aria-labelledby="opens-title">
      <h2 id="opens-title">{texts.opens}</h2>
      {opened.length === 0 ? <p>{texts.opensNothing}</p> : (
        <ul>
          {opened.map((place) => (
            <li key={place}>
              <Isolated>{place}</Isolated>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function columnsIn(path: string, config: SourceSettings, language: Language): Column<GroupMember>[] {
  const { adminGroups: texts } = textsIn(language);
  const { heads } = texts;
  return [
    { head: heads.person, is: "title", cell: (member) => <PersonCell {...member} /> },
    {
      head: heads.by,
      label: heads.by,
      cell: ({ sources }) => <IsolatedNames names={sourceNames(sources, config, texts)} />,
    },
    {
      head: "",
      is: "end",
      cell: ({ id, name, sources }) =>
        sources.some(isRemovable) && (
          <a
            class="button secondary small"
            href={`${path}/people/${id}`}
            aria-label={texts.removeNamed({ name })}
          >
            {texts.remove}
          </a>
        ),
    },
  ];
}
