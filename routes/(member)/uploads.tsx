import { page } from "fresh";
import DirectUploads from "../../islands/DirectUploads.tsx";
import { EMPTY_FORM, submitForm } from "../../lib/http/pages/form.ts";
import { parseMultipart } from "../../lib/http/input/multipart.ts";
import { redirectWithNotice } from "../../lib/http/pages/notice.ts";
import { countRequest, limited } from "../../lib/http/rate_limit.ts";
import { requireUser } from "../../lib/http/require_user.ts";
import { define } from "../../lib/http/state.ts";
import { UploadFormSchema } from "../../lib/schemas/upload.ts";
import { FileLink } from "../../lib/ui/FileLink.tsx";
import { FormMessage } from "../../lib/ui/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { formFileMaxBytes, openStaging, storedFile, storeFile } from "../../lib/uploads/file.ts";

export const handler = define.handlers({
  GET: () => page(EMPTY_FORM),
  POST: limited("presign", async (ctx) => {
    const { services } = ctx.state;
    await using staging = openStaging(services);
    return await submitForm(ctx, UploadFormSchema, async ({ file }) => {
      const { id } = await requireUser(ctx);
      await countRequest(ctx);
      const key = await storeFile(services, { userId: id, file });
      return redirectWithNotice(ctx, `/uploads?${new URLSearchParams({ file: key })}`, "file_stored");
    }, {
      field: "file",
      parse: (req) => parseMultipart(req, { maxFileBytes: formFileMaxBytes(services), stage: staging.stage }),
    });
  }),
});

export default define.page<typeof handler>(async function UploadsPage({ data: { message, details }, state, url }) {
  const { user } = (await state.currentSession())!;
  const stored = storedFile(state.services, { userId: user.id, key: url.searchParams.get("file") });
  return (
    <Page title="Upload files" hasError={message !== undefined}>
      <p class="lead">Each file gets a link of its own. Whoever has the link can open the file.</p>
      {stored && (
        <section class="card" aria-label="The file you have just uploaded">
          <FileLink {...stored} />
        </section>
      )}
      <FormMessage message={message} details={details} labels={{ file: "Choose files" }} />
      <DirectUploads
        maxBytes={state.services.config.uploadMaxBytes}
        formId={crypto.randomUUID()}
        problem={details.file?.join(". ")}
      />
    </Page>
  );
});
