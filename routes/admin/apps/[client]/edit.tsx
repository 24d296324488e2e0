import { type Context, page, type PageResponse } from "fresh";
import { actorIn } from "../../../../lib/access/principal.ts";
import { appFormSchema, appFormValues } from "../../../../lib/clients/app_form.ts";
import { changeClient } from "../../../../lib/admin/client_acts.ts";
import { findMadeClient } from "../../../../lib/clients/made_client.ts";
import { textsIn } from "../../../../lib/texts/texts.ts";
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
import { AdminPage } from "../../(_components)/AdminPage.tsx";
import { AppFields } from "../(_components)/AppFields.tsx";

const PATH = "/admin/apps";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  async GET(ctx) {
    await madeIn(ctx);
    return await askForProof(ctx) ?? await withApp(ctx, page(EMPTY_PROVEN_FORM));
  },
  async POST(ctx) {
    const { id, fields: before } = await madeIn(ctx);
    const result = await submitWithProof(
      ctx,
      appFormSchema(before),
      async ({ hasSecret: _, reason, ...fields }, by) => {
        await changeClient(ctx.state.services, { id, fields, by: actorIn(by), reason });
        return redirectWithNotice(ctx, `${PATH}/${id}`, "app_changed");
      },
    );
    return await withApp(ctx, result);
  },
});

/**
 * Returns the app that the path names. One of CLIENTS_FILE has no such page.
 *
 * @throws {AppError} NOT_FOUND.
 */
async function madeIn({ params, state: { services } }: Context<State>) {
  const isOfFile = services.config.registrations?.clients.get(params.client)?.isMadeHere === false;
  const app = isOfFile ? null : await findMadeClient(services.db, params.client);
  if (app === null) throw nothingHere();
  return app;
}

function withApp(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  return withData(result, async () => ({ app: await madeIn(ctx) }));
}

export default define.page<typeof handler>(function EditAppPage({ data, state: { language } }) {
  const { app: { id, fields }, message } = data;
  const { admin: { apps: texts } } = textsIn(language);
  const path = `${PATH}/${id}`;
  return (
    <AdminPage
      language={language}
      title={texts.editTitle({ app: fields.client_name })}
      message={message}
      back={{ href: path, text: fields.client_name }}
    >
      <AppFields
        action={`${path}/edit`}
        form={data}
        initial={appFormValues(fields)}
        isNew={false}
        language={language}
      />
    </AdminPage>
  );
});
