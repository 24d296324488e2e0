import { type Context, page, type PageResponse } from "fresh";
import { actorIn } from "../../../lib/access/principal.ts";
import { endGrantsOfClient } from "../../../lib/admin/client_grants.ts";
import { findClient } from "../../../lib/clients/registrations.ts";
import { ReasonedActSchema } from "../../../lib/admin/schema.ts";
import { textsIn } from "../../../lib/texts/texts.ts";
import { nothingHere } from "../../../lib/web/authentication/require_user.ts";
import { redirectWithNotice } from "../../../lib/web/pages/notice.ts";
import { withData } from "../../../lib/web/pages/page_data.ts";
import { askForProof, EMPTY_PROVEN_FORM, type ProvenFormState, submitWithProof } from "../../../lib/web/pages/proof.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../lib/web/state.ts";
import { ActForm } from "../(_components)/ActForm.tsx";
import { AdminPage } from "../(_components)/AdminPage.tsx";

const PATH = "/admin/apps";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  async GET(ctx) {
    await clientIn(ctx);
    return await askForProof(ctx) ?? await withClient(ctx, page(EMPTY_PROVEN_FORM));
  },
  async POST(ctx) {
    const { id: clientId } = await clientIn(ctx);
    const result = await submitWithProof(ctx, ReasonedActSchema, async ({ reason }, principal) => {
      await endGrantsOfClient(ctx.state.services, { clientId, by: actorIn(principal), reason });
      return redirectWithNotice(ctx, PATH, "admin_grants_ended");
    });
    return await withClient(ctx, result);
  },
});

/**
 * Returns the app that the path names.
 *
 * @throws {AppError} NOT_FOUND.
 */
async function clientIn({ params, state: { services } }: Context<State>) {
  const client = await findClient(services, params.client);
  if (client === null) throw nothingHere();
  return client;
}

function withClient(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  return withData(result, async () => {
    const { id, name } = await clientIn(ctx);
    return { app: { id, name } };
  });
}

export default define.page<typeof handler>(function EndGrantsPage({ data, state: { language } }) {
  const { app: { id, name }, message } = data;
  const { admin: { apps: texts } } = textsIn(language);
  const title = texts.endOf({ app: name });
  return (
    <AdminPage language={language} title={title} message={message} back={{ href: PATH, text: texts.title }}>
      <p>{texts.endLead}</p>
      <ActForm
        action={`${PATH}/${id}`}
        form={data}
        isReasonRequired
        submit={texts.submit}
        isDangerous
        language={language}
      />
    </AdminPage>
  );
});
