import { ok } from "../../../lib/http/json.ts";
import { parseMultipart } from "../../../lib/http/multipart.ts";
import { validate } from "../../../lib/http/parse.ts";
import { runOncePerKey } from "../../../lib/web/idempotency/idempotency_key.ts";
import { countRequest, limited } from "../../../lib/web/middleware/rate_limit.ts";
import { requireCaller } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { IMAGE_MAX_BYTES } from "../../../lib/schemas/image_rules.ts";
import { ImageUploadSchema } from "../../../lib/schemas/upload.ts";
import { type UploadedImage, uploadedImageView, uploadImage } from "../../../lib/uploads/image.ts";

export const handler = define.handlers({
  POST: limited("image", async (ctx) => {
    const { user: { id: userId }, token } = await requireCaller(ctx);
    using memory = new DisposableStack();
    const form = await parseMultipart(ctx.req, { maxFileBytes: IMAGE_MAX_BYTES, memory });
    return await runOncePerKey(ctx, { userId, body: form }, async (answerAtCommit) => {
      const upload = validate(ImageUploadSchema, form);
      await countRequest(ctx);
      const respond = (image: UploadedImage) => ok(uploadedImageView(image));
      const input = { ...upload, userId, tokenId: token?.id };
      return respond(await uploadImage(ctx.state.services, input, answerAtCommit(respond)));
    });
  }),
});
