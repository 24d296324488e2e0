import { page, type PageResponse } from "fresh";
import DirectUploads from "../../islands/DirectUploads.tsx";
import { isMultipart, parseMultipart } from "../../lib/http/multipart.ts";
import { parseFilters } from "../../lib/http/parse.ts";
import { EMPTY_FORM, type FormState, submitForm, submitUnlimitedForm } from "../../lib/web/pages/form.ts";
import { isPrivateRefused, refusalTexts } from "../../lib/web/files/refusal_texts.ts";
import { withData } from "../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../lib/web/pages/notice.ts";
import { readFormUnderLimit, setLimit, underLimit } from "../../lib/web/middleware/rate_limit.ts";
import { requireUser } from "../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import {
  FilePageSchema,
  FORM_MAX_FILES,
  FORM_VISIBILITY,
  LibraryFormSchema,
  UploadFormSchema,
  Visibility,
} from "../../lib/uploads/schema.ts";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { FORM_FILES_MAX_BYTES, formFileMaxBytes, openStaging, storeEach, storeFile } from "../../lib/uploads/file.ts";
import { discardUploads, findLibrary, restoreUploads } from "../../lib/uploads/library.ts";
import { islandTexts } from "../../lib/texts/island_texts.ts";
import { sizeText } from "../../lib/texts/size_text.ts";
import { textsIn } from "../../lib/texts/texts.ts";
import { UploadLibrary } from "./(_components)/UploadLibrary.tsx";
import { VisibilityChoice } from "./(_components)/VisibilityChoice.tsx";

/** The id of the form. */
const FORM = "upload";

type PageContext = Parameters<typeof requireUser>[0];

export const handler = pageHandlers({ who: "member", whileClosing: "refused", uploads: "files", limit: "write" }, {
  GET: (ctx) => withLibrary(ctx, page(EMPTY_FORM)),
  async POST(ctx) {
    return withLibrary(ctx, await (isMultipart(ctx.req) ? uploadFiles(ctx) : changeLibrary(ctx)));
  },
});

export default define.page<typeof handler>(function UploadsPage({ data, state }) {
  const { values, message, details, library, maxBytes, formMaxBytes } = data;
  const { language } = state;
  const { frame, library: libraryTexts, sizes, uploads: texts } = textsIn(language);
  return (
    <Page
      title={texts.title}
      windowTitle={message && frame.titleWithError({ title: texts.title })}
      styles="/uploads.css"
    >
      <p class="lead">{texts.lead}</p>
      <FormMessage
        message={message}
        details={details}
        labels={{ file: "", visibility: libraryTexts.audience.question }}
      />
      <div class="card sending">
        <VisibilityChoice
          form={FORM}
          chosen={Visibility.safeParse(values.visibility).data ?? FORM_VISIBILITY}
          errors={details.visibility}
          texts={libraryTexts.audience}
        />
        <DirectUploads
          form={FORM}
          texts={islandTexts(language, "network", "sizes", "uploads")}
          maxBytes={maxBytes}
          formHint={libraryTexts.hint({
            limit: sizeText(formMaxBytes, sizes),
            files: FORM_MAX_FILES,
            limitOfAll: sizeText(FORM_FILES_MAX_BYTES, sizes),
          })}
          formId={crypto.randomUUID()}
          problem={details.file?.join("\n")}
        />
      </div>
      <UploadLibrary language={language} {...library} />
    </Page>
  );
});

/** Adds the files of the person who is logged in. */
function withLibrary(ctx: PageContext, result: Response | PageResponse<FormState>) {
  return withData(result, async () => {
    const { cursor, query = "", only } = parseFilters(ctx.url, FilePageSchema);
    const { services } = ctx.state;
    const name = query.trim();
    const library = await findLibrary(services, { user: await requireUser(ctx), cursor, name, visibility: only });
    const limits = { maxBytes: services.config.uploadMaxBytes, formMaxBytes: formFileMaxBytes(services) };
    return { library: { ...library, query: name, only, isFirst: cursor === undefined }, ...limits };
  });
}

/** Stores the files of the form without scripts. Each counts under the limit, as it does with scripts. */
async function uploadFiles(ctx: PageContext) {
  setLimit(ctx, "presign");
  const { services } = ctx.state;
  await using staging = openStaging(services);
  return await submitUnlimitedForm(ctx, UploadFormSchema, async ({ file: files, visibility }) => {
    const { id: userId } = await requireUser(ctx);
    await storeEach(
      files,
      (file) => underLimit(ctx, () => storeFile(services, { userId, file, visibility })),
    );
    return redirectWithNotice(ctx, "/uploads", files.length === 1 ? "file_stored" : "files_stored");
  }, {
    field: "file",
    parse: (req) =>
      readFormUnderLimit(ctx, {
        policy: "presign",
        stage: staging.stage,
        read: (stage) =>
          parseMultipart(req, {
            maxFileBytes: FORM_FILES_MAX_BYTES,
            list: { name: "file", maxFiles: FORM_MAX_FILES },
            stage,
          }),
      }),
    isExplained: isPrivateRefused,
    errorText: (error, texts, { file }) => refusalTexts(error, texts, { maxBytes: formFileMaxBytes(services), file }),
  });
}

/** Deletes the chosen files, or restores all that were deleted within the last minutes. */
function changeLibrary(ctx: PageContext) {
  return submitForm(ctx, LibraryFormSchema, async ({ action, ids }) => {
    const { services } = ctx.state;
    const { id: userId } = await requireUser(ctx);
    if (action === "restore") {
      await restoreUploads(services, userId);
      return redirectWithNotice(ctx, "/uploads#files", "files_restored");
    }
    if (ids.length === 0) return redirectWithNotice(ctx, "/uploads#files", "files_not_chosen");
    await discardUploads(services, { userId, ids });
    return ctx.redirect("/uploads#files", 303);
  });
}
