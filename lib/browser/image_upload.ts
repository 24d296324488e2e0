import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { checkImage, DEFAULT_CROP, IMAGE_MAX_BYTES, pictureType } from "../uploads/rules.ts";
import { photoErrorTexts } from "../texts/photo_texts.ts";
import type { Texts } from "../texts/texts.ts";
import { failureText } from "./failure_text.tsx";
import { showInHeader } from "./header_face.tsx";
import { useLeaveGuard } from "./leave_guard.ts";
import { clearOutcomes, useOutcome } from "./outcome.ts";
import { typeOfContent } from "./file_type.ts";
import { usePhotoChoice } from "./photo_choice.ts";
import type { SendProfile } from "./profile_request.ts";
import { type Reply, send, type SendOptions } from "./send.ts";

interface ImageUploadOptions {
  /** The name of the user. */
  name: string;
  /** The URL of the user's photo. */
  avatar: Signal<string | null>;
  /** The part of the photo to keep, if the person has chosen one in a form that was refused. */
  crop?: string;
  texts: Pick<Texts, "network" | "photo" | "sizes">;
  /** Why the server refused the previous photo. */
  problem?: string;
  sendProfile: SendProfile;
}

type Failure = Pick<Reply, "isOk" | "code" | "retryAfterSeconds">;

/** For a photo that the browser cannot make smaller. */
const TOO_LARGE: Failure = { isOk: false, code: "PAYLOAD_TOO_LARGE", retryAfterSeconds: 0 };

export type ImageUpload = ReturnType<typeof useImageUpload>;

/** Uploads the chosen photo and makes it the user's avatar, or removes the avatar. The upload can be canceled. */
export function useImageUpload({ name, avatar, texts, sendProfile, ...initial }: ImageUploadOptions) {
  const problem = useSignal<ComponentChildren>(initial.problem);
  const crop = useSignal(initial.crop ?? DEFAULT_CROP);
  const status = useOutcome();
  /** The share that has been sent, from 0 to 1; null unless an upload is running. */
  const progress = useSignal<number | null>(null);
  const abort = useRef<AbortController>();
  const cancelButton = useRef<HTMLButtonElement>(null);
  const isUploading = () => progress.peek() !== null;
  const isRemoving = useRef(false);

  const choice = usePhotoChoice({
    isLocked: isUploading,
    accepts(file) {
      problem.value = file === null ? undefined : refusalOf(file, texts);
      if (problem.value !== undefined) clearOutcomes();
      status.value = "";
      return file !== null && problem.value === undefined;
    },
  });
  useLeaveGuard(() => choice.file.peek() !== null);
  useEffect(() => {
    // Someone may have chosen before hydration.
    crop.value = (choice.input.current!.form!.elements.namedItem("crop") as RadioNodeList).value;
  }, []);

  const show = (url: string | null) => {
    avatar.value = url;
    showInHeader(name, url);
  };

  const fail = (reply: Failure, type = "") => {
    const failureTexts = { ...photoErrorTexts(texts, type), FORBIDDEN: texts.network.someoneElse };
    problem.value = failureText(texts, reply, failureTexts);
  };

  /** Uploads the photo, if one is chosen. The button says so if none is; the form does not need one. */
  const upload = async (event?: MouseEvent) => {
    event?.preventDefault();
    const file = choice.file.value;
    if (isUploading()) return;
    if (file === null) return void (event && (problem.value = texts.photo.chooseFirst));
    const button = event?.currentTarget as HTMLElement | undefined;
    // The outcome of the form stays: it says that the texts have been saved.
    if (event) clearOutcomes();
    problem.value = undefined;
    status.value = "";
    progress.value = 0;
    abort.current = new AbortController();
    const { signal } = abort.current;
    const onProgress = (share: number) => progress.value = share;
    const photo = new File([file], file.name, { type: await typeOfContent(file) });
    const { reply, url } = await uploadAvatar(photo, {
      crop: crop.peek(),
      signal,
      onProgress,
      sendProfile,
    });
    // The cancel button is about to disappear. Without this, the focus would be lost.
    if (document.activeElement === cancelButton.current) (button ?? choice.input.current!).focus();
    progress.value = null;
    if (reply.isOk) {
      show(url);
      choice.clear();
      crop.value = DEFAULT_CROP;
      status.value = texts.photo.updated;
    } else if (signal.aborted) status.value = texts.photo.canceled;
    else fail(reply, photo.type);
  };

  const remove = async (event: MouseEvent) => {
    event.preventDefault();
    if (isUploading() || isRemoving.current) return;
    clearOutcomes();
    isRemoving.current = true;
    const reply = await sendProfile({ avatar: "" });
    isRemoving.current = false;
    if (!reply.isOk) return fail(reply);
    show(null);
    problem.value = undefined;
    status.value = texts.photo.removed;
    // The button disappears.
    choice.input.current!.focus();
  };

  return {
    avatar,
    crop,
    choice,
    problem,
    status,
    progress,
    cancelButton,
    upload,
    remove,
    cancel: () => abort.current?.abort(),
  };
}

/** Photos that are too large are made smaller before they are sent. That would stop an animation, so GIFs are not. */
function refusalOf(file: File, texts: ImageUploadOptions["texts"]): string | undefined {
  const type = pictureType(file);
  const isShrinkable = type !== "image/gif";
  const code = checkImage({ type, size: isShrinkable ? 0 : file.size });
  return code === null ? undefined : photoErrorTexts(texts, type)[code];
}

interface AvatarOptions extends Pick<SendOptions, "signal" | "onProgress"> {
  crop: string;
  sendProfile: SendProfile;
}

async function uploadAvatar(
  file: File,
  { crop, sendProfile, ...options }: AvatarOptions,
): Promise<{ reply: Failure; url: string }> {
  const content = new FormData();
  content.set("type", "avatar");
  content.set("crop", crop);
  try {
    content.set("file", file.size > IMAGE_MAX_BYTES ? await shrinkPhoto(file, IMAGE_MAX_BYTES) : file);
  } catch {
    return { reply: TOO_LARGE, url: "" };
  }
  const image = await send("POST", "/api/upload/image", { content, ...options });
  const url = String(image.body.url);
  return { url, reply: image.isOk ? await sendProfile({ avatar: url }, options) : image };
}

const MAX_SIDE_PIXELS = 2048;
const QUALITY = 0.9;

/**
 * Makes a photo at most this many bytes large: upright, with at most 2048 pixels on its longer side. The browser
 * decodes and encodes it outside the main thread. A browser that cannot write WebP writes PNG, which keeps transparency
 * too.
 *
 * @throws when the browser cannot read the photo or has no OffscreenCanvas.
 */
async function shrinkPhoto(photo: File, maxBytes: number): Promise<File> {
  const bitmap = await createImageBitmap(photo, { imageOrientation: "from-image" });
  const longerSide = Math.max(bitmap.width, bitmap.height);
  for (let side = Math.min(MAX_SIDE_PIXELS, longerSide);; side /= 2) {
    const [width, height] = [bitmap.width, bitmap.height].map((length) => Math.ceil(length * side / longerSide));
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext("2d")!.drawImage(bitmap, 0, 0, width, height);
    const type = photo.type === "image/jpeg" ? photo.type : "image/webp";
    const blob = await canvas.convertToBlob({ type, quality: QUALITY });
    if (blob.size <= maxBytes) return new File([blob], photo.name, { type: blob.type });
  }
}
