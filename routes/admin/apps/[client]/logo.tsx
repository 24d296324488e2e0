import { type Context, page, type PageResponse } from "fresh";
import { actorIn } from "../../../../lib/access/principal.ts";
import { removeClientLogo, setClientLogo } from "../../../../lib/admin/client_acts.ts";
import { LogoFormSchema } from "../../../../lib/clients/app_form.ts";
import { logoAddresses } from "../../../../lib/clients/logo.ts";
import { findClient } from "../../../../lib/clients/registrations.ts";
import { photoErrorTexts } from "../../../../lib/texts/photo_texts.ts";
import { sizeText } from "../../../../lib/texts/size_text.ts";
import { textsIn } from "../../../../lib/texts/texts.ts";
import { proofLabels } from "../../../../lib/ui/account/ProofFields.tsx";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../lib/ui/form/FormMessage.tsx";
import { openImageStaging } from "../../../../lib/uploads/image.ts";
import { IMAGE_CONTENT_TYPES, IMAGE_MAX_BYTES } from "../../../../lib/uploads/rules.ts";
import { nothingHere } from "../../../../lib/web/authentication/require_user.ts";
import { imageFormParser } from "../../../../lib/web/pages/form.ts";
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
import { AppTile } from "../../../(member)/(_components)/AppTile.tsx";
import { AdminPage } from "../../(_components)/AdminPage.tsx";
import { ReasonAndProof } from "../../(_components)/ReasonAndProof.tsx";

const PATH = "/admin/apps";

export const handler = pageHandlers({ who: "admin", whileClosing: "refused", limit: "image" }, {
  async GET(ctx) {
    await appIn(ctx);
    return await askForProof(ctx) ?? await withApp(ctx, page(EMPTY_PROVEN_FORM));
  },
  async POST(ctx) {
    const { services } = ctx.state;
    const { id } = await appIn(ctx);
    using staging = openImageStaging(services);
    const result = await submitWithProof(ctx, LogoFormSchema, async (input, principal) => {
      const act = { id, by: actorIn(principal), reason: input.reason };
      const path = `${PATH}/${id}`;
      if (input.action === "remove") {
        await removeClientLogo(services, act);
        return redirectWithNotice(ctx, path, "app_logo_removed");
      }
      await setClientLogo(services, { ...act, file: input.file });
      return redirectWithNotice(ctx, path, "app_logo_saved");
    }, {
      field: "file",
      parse: imageFormParser(ctx, staging),
      errorText: ({ code }, texts) => photoErrorTexts(texts, "")[code],
    });
    return await withApp(ctx, result);
  },
});

/**
 * Returns the app that the path names, with its logo.
 *
 * @throws {AppError} NOT_FOUND.
 */
async function appIn({ params, state: { services } }: Context<State>) {
  const app = await findClient(services, params.client);
  if (app === null) throw nothingHere();
  const logos = await logoAddresses(services, [app.id]);
  return { id: app.id, name: app.name, logo: logos.get(app.id) ?? null };
}

function withApp(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  return withData(result, async () => ({ app: await appIn(ctx) }));
}

export default define.page<typeof handler>(function AppLogoPage({ data, state: { language } }) {
  const { app: { id, name, logo }, message, details } = data;
  const catalog = textsIn(language);
  const { admin, sizes } = catalog;
  const { logo: texts } = admin.apps;
  const path = `${PATH}/${id}`;
  return (
    <AdminPage
      language={language}
      title={texts.title({ app: name })}
      message={message}
      back={{ href: path, text: name }}
    >
      <form method="post" action={`${path}/logo`} enctype="multipart/form-data" novalidate>
        <FormId />
        <FormMessage
          message={message}
          details={details}
          labels={{ file: "", reason: admin.reason, ...proofLabels(catalog.proof) }}
        />
        <AppTile name={name} logo={logo} />
        <div class="field">
          <div class="picker">
            <label class="button secondary" for="file">{texts.choose}</label>
            <input
              id="file"
              name="file"
              type="file"
              accept={IMAGE_CONTENT_TYPES.join()}
              aria-invalid={details.file !== undefined || undefined}
              aria-describedby="file-hint"
            />
          </div>
          <output class="file-name" for="file" dir="auto" />
          <p class="hint" id="file-hint">{texts.hint({ limit: sizeText(IMAGE_MAX_BYTES, sizes) })}</p>
        </div>
        <ReasonAndProof form={data} texts={catalog} isRequired />
        <div class="actions">
          <button type="submit" name="action" value="save">{texts.save}</button>
          {logo !== null && (
            <button class="secondary" type="submit" name="action" value="remove">{texts.remove}</button>
          )}
        </div>
      </form>
    </AdminPage>
  );
});
