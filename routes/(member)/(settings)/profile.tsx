import { type Context, page, type PageResponse } from "fresh";
import ProfileForm from "../../../islands/ProfileForm.tsx";
import { addressAudience, isAddressShown, seesOneself } from "../../../lib/users/user_visibility.ts";
import { profileView } from "../../../lib/users/user_views.ts";
import { isMultipart, type MultipartForm } from "../../../lib/http/multipart.ts";
import { entityTag } from "../../../lib/http/json.ts";
import {
  EMPTY_FORM,
  type FormOptions,
  type FormState,
  imageFormParser,
  submitForm,
} from "../../../lib/web/pages/form.ts";
import { withData, withUser } from "../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../lib/web/pages/notice.ts";
import { requireSameUser } from "../../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../lib/web/state.ts";
import { IMAGE_MAX_BYTES, pictureType } from "../../../lib/uploads/rules.ts";
import { ImageFile } from "../../../lib/uploads/schema.ts";
import { optionalTextsOf } from "../../../lib/schemas/profile_rules.ts";
import { newPhotoIn, ProfileFormSchema } from "../../../lib/accounts/schema.ts";
import { hasUploads } from "../../../lib/config/uploads_setting.ts";
import { AddressVisibility } from "../../../lib/ui/account/AddressVisibility.tsx";
import { MailLink } from "../../../lib/ui/MailLink.tsx";
import { Page } from "../../../lib/ui/Page.tsx";
import { saveProfile } from "../../../lib/accounts/photo.ts";
import { openImageStaging } from "../../../lib/uploads/image.ts";
import { islandTexts } from "../../../lib/texts/island_texts.ts";
import { photoErrorTexts } from "../../../lib/texts/photo_texts.ts";
import { sizeText } from "../../../lib/texts/size_text.ts";
import { type Texts, textsIn } from "../../../lib/texts/texts.ts";

type ErrorText = NonNullable<FormOptions["errorText"]>;

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "profile" }, {
  GET: (ctx) => withProfile(ctx, page(EMPTY_FORM)),
  async POST(ctx) {
    using staging = openImageStaging(ctx.state.services);
    const result = await submitForm(ctx, ProfileFormSchema, async ({ user_id, ...input }) => {
      const change = await saveProfile(ctx.state.services, await requireSameUser(ctx, user_id), input);
      return redirectWithNotice(ctx, "/profile", change);
    }, {
      policy: (input) => newPhotoIn(input) === undefined ? undefined : "image",
      field: "file",
      parse: imageFormParser(ctx, staging),
      errorText: (error, texts, { file }) => isMultipart(ctx.req) ? photoErrorText(error, texts, file) : undefined,
    });
    return await withProfile(ctx, result);
  },
});

/** Adds the profile, and who sees it and the address. */
async function withProfile(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  const { config } = ctx.state.services;
  return await withData(await withUser(ctx, result), ({ user }) => ({
    audience: addressAudience(config),
    isShown: isAddressShown(user, config),
    hasPage: seesOneself(user, config),
    hasPhoto: hasUploads(config, "photos"),
  }));
}

/** Returns the text for an error of the photo. Those of the other fields have their own. */
function photoErrorText(
  { code, field }: Parameters<ErrorText>[0],
  texts: Texts,
  file: MultipartForm[string] | undefined,
): string | undefined {
  if (field !== undefined) return undefined;
  if (code === "PAYLOAD_TOO_LARGE") {
    return texts.settings.photoTooLarge({ limit: sizeText(IMAGE_MAX_BYTES, texts.sizes) });
  }
  const { data: photo } = ImageFile.safeParse(file);
  const type = photo ? pictureType({ name: photo.name, type: photo.contentType }, photo.image.start) : "";
  return photoErrorTexts(texts, type)[code];
}

export default define.page<typeof handler>(function ProfilePage({ data, state }) {
  const { language } = state;
  const { frame, people, profile: { title }, email: { visibility } } = textsIn(language);
  const { user, audience, isShown, hasPage, hasPhoto } = data;
  const { name, avatar, email } = user;
  // Keeps the id of the user who filled in the form. Otherwise a second attempt would change the wrong profile.
  const userId = data.values.user_id ?? user.id;
  return (
    <Page title={title} windowTitle={data.message && frame.titleWithError({ title })} styles="/uploads.css">
      <ProfileForm
        texts={islandTexts(language, "network", "photo", "profile", "rules", "sizes")}
        formId={crypto.randomUUID()}
        userId={userId}
        etag={entityTag({ ...profileView(user), id: userId })}
        saved={{ name, ...optionalTextsOf(user) }}
        typed={data.values}
        avatar={avatar}
        hasPhoto={hasPhoto}
        crop={data.values.crop}
        message={data.message}
        details={data.details}
      >
        {audience && isShown && (
          <p>
            <MailLink address={email} />
          </p>
        )}
        {audience && (
          <AddressVisibility
            isShown={isShown}
            audience={audience}
            userId={userId}
            action="/profile"
            texts={visibility}
          />
        )}
        {hasPage && (
          <p class="no-print">
            <a href={`/users/${user.id}`}>{people.viewYours}</a>
          </p>
        )}
      </ProfileForm>
    </Page>
  );
});
