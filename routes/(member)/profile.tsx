import { signal } from "@preact/signals";
import { page } from "fresh";
import ImageUpload from "../../islands/ImageUpload.tsx";
import ProfileForm from "../../islands/ProfileForm.tsx";
import { updateProfile } from "../../lib/accounts/profile.ts";
import { isMultipart, parseMultipart } from "../../lib/http/input/multipart.ts";
import { EMPTY_FORM, submitForm } from "../../lib/http/pages/form.ts";
import { redirectWithNotice } from "../../lib/http/pages/notice.ts";
import { countRequest, limited } from "../../lib/http/rate_limit.ts";
import { requireSameUser } from "../../lib/http/require_user.ts";
import { define } from "../../lib/http/state.ts";
import { IMAGE_MAX_BYTES } from "../../lib/schemas/image_rules.ts";
import { ProfileFormSchema } from "../../lib/schemas/profile.ts";
import { FileFormSchema } from "../../lib/schemas/upload.ts";
import { FormMessage } from "../../lib/ui/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { changeAvatar } from "../../lib/uploads/avatar.ts";
import { photoErrorTexts } from "../../lib/words/file_texts.ts";
import { wordsIn } from "../../lib/words/words.ts";

type PageContext = Parameters<typeof requireSameUser>[0];

export const handler = define.handlers({
  GET: () => page(EMPTY_FORM),
  POST: (ctx) => isMultipart(ctx.req) ? limited("image", changePhoto)(ctx) : changeTexts(ctx),
});

export default define.page<typeof handler>(async function ProfilePage({ data, state }) {
  const { language } = state;
  const { frame, profile: { title }, photo } = wordsIn(language);
  const { user } = (await state.currentSession())!;
  const { name, bio, location, website } = user;
  const avatar = signal(user.avatar);
  const photoProblem = data.details.file?.[0];
  // Keeps the id of the user who filled in the form. Otherwise a second attempt would change the wrong profile.
  const userId = { type: "hidden", name: "user_id", value: data.values.user_id ?? user.id };
  return (
    <Page title={title} windowTitle={data.message && frame.titleWithError(title)}>
      <input {...userId} form="texts" />
      <ProfileForm
        language={language}
        saved={{ name, bio, location, website }}
        typed={data.values}
        avatar={avatar}
        message={photoProblem === undefined ? data.message : undefined}
        details={data.details}
      />
      <h2 class="no-print" id="photo">{photo.title}</h2>
      {photoProblem !== undefined && <FormMessage {...data} labels={{ file: "" }} />}
      <input {...userId} form="photo-file" />
      <ImageUpload
        language={language}
        name={name}
        avatar={avatar}
        formId={crypto.randomUUID()}
        problem={photoProblem}
      />
      <input {...userId} form="photo-removal" />
    </Page>
  );
});

function changeTexts(ctx: PageContext) {
  return submitForm(ctx, ProfileFormSchema, async ({ user_id, ...input }) => {
    const { id } = await requireSameUser(ctx, user_id);
    await updateProfile(ctx.state.services, id, input);
    return redirectWithNotice(ctx, "/profile", "profile_saved");
  });
}

async function changePhoto(ctx: PageContext) {
  using memory = new DisposableStack();
  return await submitForm(ctx, FileFormSchema, async ({ user_id, file }) => {
    const { id: userId } = await requireSameUser(ctx, user_id);
    await countRequest(ctx);
    await changeAvatar(ctx.state.services, { userId, file });
    return redirectWithNotice(ctx, "/profile", "photo_saved");
  }, {
    field: "file",
    parse: (req) => parseMultipart(req, { maxFileBytes: IMAGE_MAX_BYTES, memory }),
    errorText: ({ code }, words, { file }) =>
      photoErrorTexts(words, typeof file === "object" ? file.contentType : "")[code],
  });
}
