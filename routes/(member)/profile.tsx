import { signal } from "@preact/signals";
import { page } from "fresh";
import ImageUpload from "../../islands/ImageUpload.tsx";
import ProfileForm from "../../islands/ProfileForm.tsx";
import { EMPTY_FORM, submitForm } from "../../lib/http/pages/form.ts";
import { isMultipart, parseMultipart } from "../../lib/http/input/multipart.ts";
import { redirectWithNotice } from "../../lib/http/pages/notice.ts";
import { countRequest, limited } from "../../lib/http/rate_limit.ts";
import { requireSameUser } from "../../lib/http/require_user.ts";
import { define } from "../../lib/http/state.ts";
import { updateProfile } from "../../lib/accounts/profile.ts";
import { IMAGE_MAX_BYTES } from "../../lib/schemas/image_rules.ts";
import { ProfileFormSchema } from "../../lib/schemas/profile.ts";
import { FileFormSchema } from "../../lib/schemas/upload.ts";
import { FormMessage } from "../../lib/ui/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { uploadImage } from "../../lib/uploads/image.ts";

type PageContext = Parameters<typeof requireSameUser>[0];

export const handler = define.handlers({
  GET: () => page(EMPTY_FORM),
  POST: (ctx) => isMultipart(ctx.req) ? limited("image", changePicture)(ctx) : changeTexts(ctx),
});

export default define.page<typeof handler>(async function ProfilePage({ data, state }) {
  const user = (await state.currentSession())!.user;
  const { name, bio, location, website } = user;
  const avatar = signal(user.avatar);
  const pictureProblem = data.details.file?.join(". ");
  // Of a form that somebody else has filled in, theirs stays.
  const madeFor = { type: "hidden", name: "user_id", value: data.values.user_id ?? user.id };
  return (
    <Page title="Your profile" hasError={data.message !== undefined}>
      <input {...madeFor} form="texts" />
      <ProfileForm
        saved={{ name, bio, location, website }}
        typed={data.values}
        avatar={avatar}
        message={pictureProblem === undefined ? data.message : undefined}
        details={data.details}
      />
      <h2 class="no-print" id="picture">Your picture</h2>
      {pictureProblem !== undefined && <FormMessage {...data} labels={{ file: "Choose a picture" }} />}
      <input {...madeFor} form="picture-file" />
      <ImageUpload name={name} avatar={avatar} formId={crypto.randomUUID()} problem={pictureProblem} />
      <input {...madeFor} form="picture-removal" />
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

function changePicture(ctx: PageContext) {
  return submitForm(ctx, FileFormSchema, async ({ user_id, file }) => {
    const { services } = ctx.state;
    const { id } = await requireSameUser(ctx, user_id);
    await countRequest(ctx);
    const { url } = await uploadImage(services, { type: "avatar", file });
    await updateProfile(services, id, { avatar: url });
    return redirectWithNotice(ctx, "/profile", "picture_saved");
  }, { field: "file", parse: (req) => parseMultipart(req, { maxFileBytes: IMAGE_MAX_BYTES }) });
}
