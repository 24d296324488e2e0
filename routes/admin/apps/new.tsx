import { page } from "fresh";
import { actorIn } from "../../../lib/access/principal.ts";
import { appFormSchema, NEW_APP_VALUES } from "../../../lib/clients/app_form.ts";
import { createClient } from "../../../lib/admin/client_acts.ts";
import { textsIn } from "../../../lib/texts/texts.ts";
import { redirectWithNotice } from "../../../lib/web/pages/notice.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../lib/web/pages/proof.ts";
import { showOnce } from "../../../lib/web/pages/shown_once.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { AdminPage } from "../(_components)/AdminPage.tsx";
import { AppFields } from "./(_components)/AppFields.tsx";

const PATH = "/admin/apps";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "write" }, {
  GET: async (ctx) => await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM),
  POST: (ctx) =>
    submitWithProof(ctx, appFormSchema(null), async ({ hasSecret, reason, ...fields }, principal) => {
      const by = actorIn(principal);
      const { id, secret } = await createClient(ctx.state.services, { fields, hasSecret, by, reason });
      const path = `${PATH}/${id}`;
      const response = redirectWithNotice(ctx, path, "app_created");
      return secret === null ? response : await showOnce(ctx, response, { path, secret: secret.secret });
    }, { errorText: ({ code }, { admin }) => code === "TOO_MANY" ? admin.apps.tooMany : undefined }),
});

export default define.page<typeof handler>(function NewAppPage({ data, state: { language } }) {
  const { admin: { apps: texts } } = textsIn(language);
  return (
    <AdminPage
      language={language}
      title={texts.createTitle}
      message={data.message}
      back={{ href: PATH, text: texts.title }}
    >
      <AppFields action={`${PATH}/new`} form={data} initial={NEW_APP_VALUES} isNew language={language} />
    </AdminPage>
  );
});
