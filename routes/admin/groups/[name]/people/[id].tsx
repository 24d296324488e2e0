import { type Context, page, type PageResponse } from "fresh";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { reportAccount } from "../../../../../lib/admin/account_report.ts";
import { getAccountId } from "../../../../../lib/admin/locked_account.ts";
import { ReasonedActSchema } from "../../../../../lib/admin/schema.ts";
import { getGroup, groupNameIn } from "../../../../../lib/groups/group.ts";
import { setGroup } from "../../../../../lib/groups/membership.ts";
import { textsIn } from "../../../../../lib/texts/texts.ts";
import { AccountLine } from "../../../../../lib/ui/account/AccountLine.tsx";
import { redirectWithNotice } from "../../../../../lib/web/pages/notice.ts";
import { withData } from "../../../../../lib/web/pages/page_data.ts";
import { pageHandlers } from "../../../../../lib/web/pages/page_handlers.ts";
import {
  askForProof,
  EMPTY_PROVEN_FORM,
  type ProvenFormState,
  submitWithProof,
} from "../../../../../lib/web/pages/proof.ts";
import { define, type State } from "../../../../../lib/web/state.ts";
import { ActForm } from "../../../(_components)/ActForm.tsx";
import { AdminPage } from "../../../(_components)/AdminPage.tsx";

const PATH = "/admin/groups";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  GET: async (ctx) => await askForProof(ctx) ?? await withMember(ctx, page(EMPTY_PROVEN_FORM)),
  async POST(ctx) {
    const { services } = ctx.state;
    const group = groupNameIn(ctx.params);
    const result = await submitWithProof(ctx, ReasonedActSchema, async ({ reason }, principal) => {
      const userId = await getAccountId(services.db, ctx.params.id);
      const hasChanged = await setGroup(services, { userId, group, isMember: false, by: actorIn(principal), reason });
      return redirectWithNotice(ctx, `${PATH}/${group}`, hasChanged ? "group_left" : "admin_unchanged");
    });
    return await withMember(ctx, result);
  },
});

function withMember(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  return withData(result, async () => {
    const { services } = ctx.state;
    const group = await getGroup(services.db, { name: groupNameIn(ctx.params), now: services.now() });
    const { id, name, email } = await reportAccount(services, ctx.params.id);
    return { group, person: { id, name, email } };
  });
}

export default define.page<typeof handler>(function RemoveMemberPage({ data, state: { language } }) {
  const { group: { name: groupName, title: group }, person: { id, name, email }, message } = data;
  const { adminGroups: texts } = textsIn(language);
  const path = `${PATH}/${groupName}`;
  return (
    <AdminPage
      language={language}
      title={texts.removeTitle}
      message={message}
      back={{ href: path, text: texts.backTo({ group }) }}
    >
      <p>{texts.removeLead}</p>
      <AccountLine name={name} email={email} avatar={null} />
      <ActForm
        action={`${path}/people/${id}`}
        form={data}
        isReasonRequired
        submit={texts.remove}
        cancel={path}
        language={language}
      />
    </AdminPage>
  );
});
