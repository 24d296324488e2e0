import { page } from "fresh";
import ProfileForm from "../../../islands/ProfileForm.tsx";
import { updateProfile } from "../../../lib/accounts/profile.ts";
import { profileView } from "../../../lib/users/user_views.ts";
import { isMultipart, parseMultipart } from "../../../lib/http/multipart.ts";
import { parseForm } from "../../../lib/http/text_body.ts";
import { entityTag } from "../../../lib/http/json.ts";
import { EMPTY_FORM, submitForm } from "../../../lib/web/pages/form.ts";
import { withUser } from "../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../lib/web/pages/notice.ts";
import { limited } from "../../../lib/web/middleware/rate_limit.ts";
import { requireSameUser } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { IMAGE_MAX_BYTES } from "../../../lib/schemas/image_rules.ts";
import { optionalTextsOf } from "../../../lib/schemas/profile_rules.ts";
import { ProfileFormSchema } from "../../../lib/schemas/profile.ts";
import { Page } from "../../../lib/ui/Page.tsx";
import { changeAvatar } from "../../../lib/accounts/photo.ts";
import { photoErrorTexts, sizeText } from "../../../lib/texts/file_texts.ts";
import { textsIn } from "../../../lib/texts/texts.ts";

export const handler = define.handlers({
  GET: (ctx) => withUser(ctx, page(EMPTY_FORM)),
  POST: limited("profile", async (ctx) => {
    const { services } = ctx.state;
    using memory = new DisposableStack();
    const result = await submitForm(ctx, ProfileFormSchema, async ({ user_id, file, ...update }) => {
      const principal = await requireSameUser(ctx, user_id);
      const isRemoval = update.avatar === "";
      if (file === undefined || isRemoval) {
        await updateProfile(services, principal, update);
        return redirectWithNotice(ctx, "/profile", isRemoval ? "photo_removed" : "profile_saved");
      }
      await changeAvatar(services, { principal, file, update });
      return redirectWithNotice(ctx, "/profile", "photo_saved");
    }, {
      policy: ({ file, avatar }) => file === undefined || avatar === "" ? undefined : "image",
      field: "file",
      parse: (req, form) =>
        isMultipart(req) ? parseMultipart(req, { maxFileBytes: IMAGE_MAX_BYTES, memory, form }) : parseForm(req),
      errorText({ code, field }, texts, { file }) {
        const isAboutText = field !== undefined || !isMultipart(ctx.req);
        if (isAboutText) return undefined;
        if (code === "PAYLOAD_TOO_LARGE") return texts.settings.photoTooLarge(sizeText(IMAGE_MAX_BYTES));
        return photoErrorTexts(texts, typeof file === "object" ? file.contentType : "")[code];
      },
    });
    return await withUser(ctx, result);
  }),
});

export default define.page<typeof handler>(function ProfilePage({ data, state }) {
  const { language } = state;
  const { frame, profile: { title } } = textsIn(language);
  const { user } = data;
  const { name, avatar } = user;
  // Keeps the id of the user who filled in the form. Otherwise a second attempt would change the wrong profile.
  const userId = data.values.user_id ?? user.id;
  return (
    <Page title={title} windowTitle={data.message && frame.titleWithError(title)}>
      <ProfileForm
        language={language}
        formId={crypto.randomUUID()}
        userId={userId}
        etag={entityTag({ ...profileView(user), id: userId })}
        saved={{ name, ...optionalTextsOf(user) }}
        typed={data.values}
        avatar={avatar}
        message={data.message}
        details={data.details}
      />
    </Page>
  );
});
