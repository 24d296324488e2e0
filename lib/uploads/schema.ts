import { z } from "zod";
import { DAY_SECONDS, HOUR_SECONDS } from "../duration.ts";
import { IMAGE_CROPS, IMAGE_PURPOSES } from "./rules.ts";
import { Id, ListSchema, PageSchema } from "../schemas/list.ts";
import { issueMessage } from "../errors/problem.ts";
import { Checkbox, lineOf, string } from "../schemas/text.ts";
import { Amount, EntityId, like, listOf, ObjectUrl, one, Success, Time } from "../schemas/views.ts";

/** An image that has been received but not yet converted. */
export const ImageFile = z.object({
  name: z.string(),
  contentType: z.string(),
  image: z.object({
    file: z.string(),
    sizeBytes: z.number(),
    start: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
  }),
}, issueMessage({ rule: "file" }));
export type ImageFile = z.infer<typeof ImageFile>;

export const ImageCrop = z.enum(IMAGE_CROPS, issueMessage({ rule: "oneOf", values: IMAGE_CROPS }));

/** Source: docs/rules.md, Image uploads. */
export const ImageUploadSchema = z.object({
  type: z.enum(IMAGE_PURPOSES, issueMessage({ rule: "oneOf", values: IMAGE_PURPOSES })),
  file: ImageFile,
  crop: ImageCrop.optional().meta({
    description:
      "Makes the image a square. Keeps its top or left (`start`), its center, or its bottom or right (`end`)",
  }),
});
export type ImageUpload = z.infer<typeof ImageUploadSchema>;

/** `type/subtype` without parameters. Accepts wildcards, which are refused later as types. Source: RFC 6838, 4.2. */
const MEDIA_TYPE = /^[A-Za-z0-9*][A-Za-z0-9!#$&^_.+*-]{0,126}\/[A-Za-z0-9*][A-Za-z0-9!#$&^_.+*-]{0,126}$/;

/** How many characters the name of a file has, at most. */
export const FILENAME_MAX = 255;

/** Who may read a file: everyone who has its address, or only its owner and those who have a link. */
const VISIBILITIES = ["public", "private"] as const;
export const Visibility = z.enum(VISIBILITIES, issueMessage({ rule: "oneOf", values: VISIBILITIES }));
export type Visibility = z.infer<typeof Visibility>;

/** The query of the page of one's own files. `query` is a part of their names. */
export const FilePageSchema = PageSchema.extend({
  query: lineOf({ max: FILENAME_MAX }).optional(),
  only: Visibility.optional(),
});

/** The query of the list of one's own uploads. */
export const UploadListSchema = ListSchema.extend({
  visibility: Visibility.meta({ description: "Only uploads of this visibility" }).optional(),
});

const WHOLE_NUMBER = issueMessage({ rule: "wholeNumber" });

/** The size is optional. The configuration sets its upper limit. Source: docs/rules.md, Presigned uploads. */
export const UploadRequestSchema = z.object({
  filename: lineOf({ min: 1, max: FILENAME_MAX }).meta({ sample: "notes.txt" }),
  contentType: string().regex(MEDIA_TYPE, issueMessage({ rule: "mediaType" })).meta({ sample: "text/plain" }),
  size: z.number(WHOLE_NUMBER).refine(Number.isInteger, WHOLE_NUMBER).min(1, issueMessage({ rule: "atLeast", min: 1 }))
    .meta({ type: "integer", description: "In bytes", sample: 5 }).optional(),
  visibility: Visibility.default("public").meta({
    description: "`private`: only its owner and those who have a link may read it. It cannot change. Default: `public`",
  }),
});
export type UploadRequest = z.infer<typeof UploadRequestSchema>;

/** How many seconds a link to a private file works. */
const LINK_SECONDS = { min: 60, max: 7 * DAY_SECONDS };
const LINK_SECONDS_DEFAULT = HOUR_SECONDS;
const LINK_SECONDS_PROBLEM = issueMessage({ rule: "between", ...LINK_SECONDS });

/** A link to a private file. */
export const LinkSchema = z.object({
  expiresIn: z.number(WHOLE_NUMBER).refine(Number.isInteger, WHOLE_NUMBER)
    .min(LINK_SECONDS.min, LINK_SECONDS_PROBLEM).max(LINK_SECONDS.max, LINK_SECONDS_PROBLEM).default(
      LINK_SECONDS_DEFAULT,
    )
    .meta({ type: "integer", description: "Seconds until the link expires", sample: 86_400 }),
  download: z.boolean(issueMessage({ rule: "boolean" })).default(false).meta({
    description: "Whether browsers save the file instead of showing it",
  }),
});

/** A file that the object store has received but not yet stored. */
const StagedFile = z.object({
  name: z.string(),
  contentType: z.string(),
  sizeBytes: z.number(),
  start: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  store: z.custom<(key: string, contentType: string) => Promise<void>>((value) => typeof value === "function"),
}, issueMessage({ rule: "file" }));
export type StagedFile = z.infer<typeof StagedFile>;

/** The most files that the form of the uploads page may have. */
export const FORM_MAX_FILES = 20;

/** What the form of the uploads page proposes. */
export const FORM_VISIBILITY: Visibility = "private";

/** The form of the uploads page. */
export const UploadFormSchema = z.object({
  file: z.array(StagedFile, issueMessage({ rule: "file" })),
  visibility: Visibility.default(FORM_VISIBILITY),
});

/** How many seconds a link may work that is created on the page of a private file. */
export const LINK_LIFETIMES = { hour: HOUR_SECONDS, day: DAY_SECONDS, week: 7 * DAY_SECONDS };

const LINK_CHOICES = Object.values(LINK_LIFETIMES).map(String);

/** The forms of the page of a private file. */
export const LinkFormSchema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("create"),
    expiresIn: z.enum(LINK_CHOICES, issueMessage({ rule: "oneOf", values: LINK_CHOICES })).transform(Number),
    download: Checkbox,
  }),
  z.object({ action: z.literal("end") }),
]);

/** The form of the library, which has a checkbox for each file, named after its id. */
export const LibraryFormSchema = z.looseObject({ action: z.enum(["delete", "restore"]) })
  .transform(({ action, ...fields }) => ({
    action,
    ids: Object.keys(fields).filter((name) => Id.safeParse(name).success),
  }));

/** An uploaded file, or one that is expected. */
export const UploadView = z.object({
  id: EntityId,
  key: like("uploads/notes.txt"),
  url: ObjectUrl,
  filename: like("notes.txt"),
  contentType: like("text/plain"),
  size: Amount.nullable().meta({ description: "In bytes; null while it is not known", sample: 5 }),
  purpose: z.enum(["file", "avatar", "post"]),
  visibility: Visibility,
  status: z.enum(["pending", "stored", "refused"]).meta({ sample: "stored" }),
  createdAt: Time,
});
export type UploadView = z.infer<typeof UploadView>;

const ImageUrl = ObjectUrl.meta({ sample: "https://foyer.example/files/images/avatar/ada.webp" });
const Pixels = Amount.meta({ sample: 200 });
const Size = { width: Pixels, height: Pixels };

/** A stored image. */
export const ImageView = Success.extend({
  id: EntityId,
  url: ImageUrl,
  originalName: like("photo.png"),
  size: Amount.meta({ description: "In bytes, as stored", sample: 182 }),
  ...Size,
  variants: z.array(z.object({ url: ImageUrl, ...Size, size: Amount })).meta({ description: "Narrower copies" }),
});
export type ImageView = z.infer<typeof ImageView>;

const PresignedUrl = ObjectUrl.meta({
  sample: "https://foyer.example/files/uploads/notes.txt?expires=...&signature=...",
});

/** A URL that accepts one upload. */
export const PresignedUploadView = Success.extend({
  id: EntityId,
  presignedUrl: PresignedUrl.meta({ description: "Send the file here with PUT and the declared `Content-Type`" }),
  uploadUrl: PresignedUrl.meta({ description: "The same as `presignedUrl`" }),
  publicUrl: ObjectUrl.meta({ description: "The address of the file once it is uploaded" }),
  key: like("uploads/notes.txt"),
  visibility: Visibility,
  expiresIn: Amount.meta({ description: "Seconds until the URL expires", sample: 300 }),
});
export type PresignedUploadView = z.infer<typeof PresignedUploadView>;

/** A link to a private file. */
export const LinkView = z.object({
  url: PresignedUrl.meta({ description: "Opens the file for everyone who has it. Treat it like a password" }),
  expiresAt: Time,
});
export type LinkView = z.infer<typeof LinkView>;

export const OneLink = one(LinkView);
export const UploadList = listOf(UploadView);
export const OneUpload = one(UploadView);
