import { type Context, page, type PageResponse } from "fresh";
import { actorIn } from "../../../../lib/access/principal.ts";
import { accountAct, type AccountActName } from "../../../../lib/admin/acts.ts";
import { reportAccount } from "../../../../lib/admin/account_report.ts";
import { graceDays } from "../../../../lib/admin/removal.ts";
import { nothingHere } from "../../../../lib/web/authentication/require_user.ts";
import { redirectWithNotice } from "../../../../lib/web/pages/notice.ts";
import { withData } from "../../../../lib/web/pages/page_data.ts";
import {
  askForProof,
  EMPTY_PROVEN_FORM,
  type ProvenFormState,
  submitWithProof,
} from "../../../../lib/web/pages/proof.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../lib/web/state.ts";
import { parseFilters } from "../../../../lib/http/parse.ts";
import { ActFormSchema, ActPageSchema, ReasonedActFormSchema } from "../../../../lib/admin/schema.ts";
import { AccountLine } from "../../../../lib/ui/account/AccountLine.tsx";
import { textsIn } from "../../../../lib/texts/texts.ts";
import { ActForm } from "../../(_components)/ActForm.tsx";
import { AdminPage } from "../../(_components)/AdminPage.tsx";

const PATH = "/admin/users";
export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  async GET(ctx) {
    actIn(ctx);
    const { address } = parseFilters(ctx.url, ActPageSchema);
    const form = address === undefined ? EMPTY_PROVEN_FORM : { ...EMPTY_PROVEN_FORM, values: { address } };
    return await askForProof(ctx) ?? await withAct(ctx, page(form));
  },
  async POST(ctx) {
    const { name, act } = actIn(ctx);
    const { id } = ctx.params;
    const schema = act.needsReason ? ReasonedActFormSchema : ActFormSchema;
    const result = await submitWithProof(ctx, schema, async (input, principal) => {
      const hasChanged = await act.run(ctx.state.services, { who: id, by: actorIn(principal), ...input });
      const notice = hasChanged ? act.notice : "admin_unchanged";
      return redirectWithNotice(ctx, pathAfter(name, { id, isOneself: id === principal.user.id }), notice);
    });
    return await withAct(ctx, result);
  },
});

/**
 * Returns the act that the path names.
 *
 * @throws {AppError} NOT_FOUND.
 */
function actIn(ctx: Context<State>) {
  const found = accountAct(ctx.params.act);
  if (found === undefined) throw nothingHere();
  return found;
}

/** The account may be gone, or the admin no longer one. */
function pathAfter(name: AccountActName, { id, isOneself }: { id: string; isOneself: boolean }): string {
  if (isOneself && name === "demote") return "/dashboard";
  return name === "delete" ? PATH : `${PATH}/${id}`;
}

function withAct(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  const { services } = ctx.state;
  return withData(result, async () => {
    const { id, name, email } = await reportAccount(services, ctx.params.id);
    const { name: act, act: { needsReason, isDangerous } } = actIn(ctx);
    return { account: { id, name, email }, act, needsReason, isDangerous, days: graceDays(services) };
  });
}

export default define.page<typeof handler>(function ActPage({ data, state: { language } }) {
  const { account: { id, name, email }, act, needsReason, isDangerous, days, values, message } = data;
  const { adminAccount: texts } = textsIn(language);
  const { title, submit, lead } = texts.acts[act];
  const { address } = values;
  const path = `${PATH}/${id}`;
  return (
    <AdminPage
      language={language}
      title={title}
      message={message}
      back={{ href: path, text: texts.backTo({ name }) }}
    >
      <p>{typeof lead === "string" ? lead : lead({ days })}</p>
      <AccountLine name={name} email={email} avatar={null} />
      {address !== undefined && <p>{texts.limitsOf({ address })}</p>}
      <ActForm
        action={`${path}/${act}`}
        form={data}
        isReasonRequired={needsReason}
        submit={submit}
        cancel={isDangerous ? path : undefined}
        language={language}
      >
        {address !== undefined && <input type="hidden" name="address" value={address} />}
      </ActForm>
    </AdminPage>
  );
});
