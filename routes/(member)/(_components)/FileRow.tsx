import { imageSrcset } from "../../../lib/uploads/rules.ts";
import { sizeText } from "../../../lib/texts/size_text.ts";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import type { LibraryFile } from "../../../lib/uploads/library.ts";
import { DOT } from "../../../lib/ui/account/Origin.tsx";
import { JoinedAt } from "../../../lib/ui/JoinedAt.tsx";

/** An image of a file, or else its extension. */
export function FileThumbnail({ name, thumbnail }: Pick<LibraryFile, "name" | "thumbnail">) {
  return (
    <span class="thumbnail" aria-hidden="true">
      {thumbnail === null ? extensionOf(name) : <Thumbnail url={thumbnail} />}
    </span>
  );
}

function Thumbnail({ url }: { url: string }) {
  return (
    <img
      src={url}
      srcset={imageSrcset(url)}
      sizes="3rem"
      alt=""
      width={48}
      height={48}
      loading="lazy"
      decoding="async"
    />
  );
}

/** The extension in capitals, if it is short enough for a thumbnail. */
function extensionOf(name: string): string {
  return /\.([a-z0-9]{1,4})$/i.exec(name)?.[1].toUpperCase() ?? "";
}

/** Who can open a file, its size, and when it was uploaded. */
export function FileFacts({ file, language }: { file: LibraryFile; language: Language }) {
  const { visibility, bytes, createdAt } = file;
  const { library, sizes, uploads } = textsIn(language);
  return (
    <p class="meta">
      <span>{uploads.visibility[visibility]}</span>
      {DOT}
      <span>{sizeText(bytes, sizes)}</span>
      {DOT}
      <JoinedAt date={createdAt} label={library.uploadedAt} locale={language.locale} />
    </p>
  );
}
