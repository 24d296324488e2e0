import { page } from "fresh";
import DirectUploads from "../../islands/DirectUploads.tsx";
import { parseMultipart } from "../../lib/http/input/multipart.ts";
import { EMPTY_FORM, submitForm } from "../../lib/http/pages/form.ts";
import { redirectWithNotice } from "../../lib/http/pages/notice.ts";
import { countRequest, limited } from "../../lib/http/rate_limit.ts";
import { requireUser } from "../../lib/http/require_user.ts";
import { define } from "../../lib/http/state.ts";
import { UploadFormSchema } from "../../lib/schemas/upload.ts";
import { FileLink } from "../../lib/ui/FileLink.tsx";
import { FormMessage } from "../../lib/ui/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { formFileMaxBytes, openStaging, storedFile, storeFile } from "../../lib/uploads/file.ts";
import { fileErrorTexts } from "../../lib/words/file_texts.ts";
import { wordsIn } from "../../lib/words/words.ts";

export const handler = define.handlers({
  GET: () => page(EMPTY_FORM),
  POST: limited("presign", async (ctx) => {
    const { services } = ctx.state;
    const maxFileBytes = formFileMaxBytes(services);
    await using staging = openStaging(services);
    return await submitForm(ctx, UploadFormSchema, async ({ file }) => {
      const { id } = await requireUser(ctx);
      await countRequest(ctx);
      const key = await storeFile(services, { userId: id, file });
      return redirectWithNotice(ctx, `/uploads?${new URLSearchParams({ file: key })}`, "file_stored");
    }, {
      field: "file",
      parse: (req) => parseMultipart(req, { maxFileBytes, stage: staging.stage }),
      errorText: ({ code }, words, { file }) =>
        fileErrorTexts(words, { name: typeof file === "object" ? file.name : "", maxBytes: maxFileBytes })[code],
    });
  }),
});

export default define.page<typeof handler>(async function UploadsPage({ data: { message, details }, state, url }) {
  const { language, services } = state;
  const { frame, uploads: words } = wordsIn(language);
  const { user } = (await state.currentSession())!;
  const stored = storedFile(services, { userId: user.id, key: url.searchParams.get("file") });
  return (
    <Page title={words.title} windowTitle={message && frame.titleWithError(words.title)}>
      <p class="lead">{words.lead}</p>
      {stored && (
        <section class="card" aria-label={words.justUploaded}>
          <FileLink {...stored} />
        </section>
      )}
      <FormMessage message={message} details={details} labels={{ file: "" }} />
      <DirectUploads
        language={language}
        maxBytes={services.config.uploadMaxBytes}
        formId={crypto.randomUUID()}
        problem={details.file?.[0]}
      />
    </Page>
  );
});
