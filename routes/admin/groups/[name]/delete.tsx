import { type Context, page, type PageResponse } from "fresh";
import { actorIn } from "../../../../lib/access/principal.ts";
import { ActFormSchema } from "../../../../lib/admin/schema.ts";
import { deleteGroup, getGroup, groupNameIn } from "../../../../lib/groups/group.ts";
import { textsIn } from "../../../../lib/texts/texts.ts";
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

const PATH = "/admin/groups";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  GET: async (ctx) => await askForProof(ctx) ?? await withGroup(ctx, page(EMPTY_PROVEN_FORM)),
  async POST(ctx) {
    const name = groupNameIn(ctx.params);
    const result = await submitWithProof(ctx, ActFormSchema, async ({ reason }, principal) => {
      await deleteGroup(ctx.state.services, { name, by: actorIn(principal), reason });
      return redirectWithNotice(ctx, PATH, "group_deleted");
    }, {
      errorText: (error, { adminGroups: texts }) =>
        error.is("GROUP_IN_USE") ? texts.inUse({ by: error.data.by }) : undefined,
    });
    return await withGroup(ctx, result);
  },
});

function withGroup(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  const { services: { db, now } } = ctx.state;
  return withData(result, async () => ({ group: await getGroup(db, { name: groupNameIn(ctx.params), now: now() }) }));
}

export default define.page<typeof handler>(function DeleteGroupPage({ data, state: { language } }) {
  const { group: { name, title }, message } = data;
  const { adminGroups: texts } = textsIn(language);
  const path = `${PATH}/${name}`;
  return (
    <AdminPage
      language={language}
      title={texts.deleteTitle}
      message={message}
      back={{ href: path, text: texts.backTo({ group: title }) }}
    >
      <p>{texts.deleteLead}</p>
      <ActForm
        action={`${path}/delete`}
        form={data}
        isReasonRequired={false}
        submit={texts.delete}
        cancel={path}
        language={language}
      />
    </AdminPage>
  );
});
