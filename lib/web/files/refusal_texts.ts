import { AppError, type ErrorCode } from "../../errors/errors.ts";
import type { MultipartForm } from "../../http/multipart.ts";
import { fileErrorTexts } from "../../texts/file_texts.ts";
import { sizeText } from "../../texts/size_text.ts";
import type { Texts } from "../../texts/texts.ts";
import { FORM_FILES_MAX_BYTES } from "../../uploads/file.ts";
import { catalogText } from "../pages/form.ts";

/**
 * Returns why the files of a form were not stored, and how many of them were. Undefined if the error is not about
 * files.
 *
 * @param options.maxBytes the size limit of each file.
 */
export function refusalTexts(
  error: AppError,
  texts: Texts,
  { file, maxBytes }: { file?: MultipartForm[string]; maxBytes: number },
): string | string[] | undefined {
  if (error.is("PAYLOAD_TOO_LARGE") && error.data.reason === "body") {
    return texts.library.tooLargeTogether({ limit: sizeText(FORM_FILES_MAX_BYTES, texts.sizes) });
  }
  if (isPrivateRefused(error)) return texts.uploads.privateUnavailable;
  if (!error.is("VALIDATION_FAILED") || error.data.reason !== "files") {
    const [name = ""] = Array.isArray(file) ? file.map(({ name }) => name) : [];
    return fileErrorTexts(texts, { name, maxBytes })[error.code];
  }
  const { stored, refused } = error.data;
  const reasons = refused.map(({ name, code, data }) => {
    const error = new AppError<ErrorCode>(code, data as object);
    const ownTexts = { VALIDATION_FAILED: invalidText(error, texts), ...fileErrorTexts(texts, { name, maxBytes }) };
    const ownText = isPrivateRefused(error) ? texts.uploads.privateUnavailable : ownTexts[code];
    return `${name}: ${ownText ?? catalogText(error, texts)}`;
  });
  return [texts.library.storedOf({ stored, all: stored + refused.length }), ...reasons];
}

/** Says what is wrong with a file itself. */
function invalidText(error: AppError, { serverRules, uploads }: Texts): string {
  const problems = error.is("VALIDATION_FAILED") && error.data.reason === "fields" ? error.data.fields.file : [];
  const name = problems.find((problem) => problem.rule === "fileName");
  return name === undefined ? uploads.empty : serverRules.texts.fileName(name);
}

/** Whether no private files can be stored at the moment, although others can. */
export function isPrivateRefused(error: AppError): boolean {
  return error.is("UNAVAILABLE") && error.data.reason === "private";
}
