import { asset, Head } from "fresh/runtime";
import { FileFacts, FileThumbnail } from "./FileRow.tsx";
import { FILENAME_MAX, type Visibility } from "../../../lib/uploads/schema.ts";
import { type DiscardedFiles, type LibraryFile, UNDO_MINUTES } from "../../../lib/uploads/library.ts";
import { sizeText } from "../../../lib/texts/size_text.ts";
import { Choice } from "../../../lib/ui/form/Choice.tsx";
import { FileLink } from "../../../lib/ui/FileLink.tsx";
import { savedName } from "../../../lib/uploads/rules.ts";
import { STORED_FILES } from "../../../lib/ui/list/stored_files.ts";
import { SearchForm } from "../../../lib/ui/list/SearchForm.tsx";
import { type Language, type Texts, textsIn } from "../../../lib/texts/texts.ts";
import { IsolatedNames } from "../../../lib/ui/Isolated.tsx";

const PAGE = "/uploads";

export interface UploadLibraryProps {
  language: Language;
  files: LibraryFile[];
  /** The part of the names that was searched for; empty for all files. */
  query: string;
  /** The files that are shown; undefined for all. */
  only?: Visibility;
  /** The files that can be restored. */
  discarded: DiscardedFiles;
  usedBytes: number;
  /** 0 for no limit. */
  quotaBytes: number;
  /** Whether the address is not confirmed, and this is why there is no more space. */
  hasMoreOnceConfirmed: boolean;
  isFirst: boolean;
  nextCursor: string | null;
}

/** The files that a person has uploaded, and the space that they take. */
export function UploadLibrary(
  { language, files, query, only, discarded, isFirst, nextCursor, ...space }: UploadLibraryProps,
) {
  const { library: texts, uploads: { copied, copyFailed, visibility } } = textsIn(language);
  const isFiltered = query !== "" || only !== undefined;
  const isWhole = isFirst && nextCursor === null && !isFiltered;
  return (
    <>
      <Head>
        <script
          key="copy_link.js"
          defer
          src={asset("/copy_link.js")}
          data-copied={copied}
          data-failed={copyFailed}
        />
      </Head>
      <h2 id="files">{texts.stored}</h2>
      <Space {...space} language={language} />
      {discarded.count > 0 && <Undo {...discarded} texts={texts} />}
      {!isWhole && (
        <SearchForm
          action={`${PAGE}#files`}
          query={query}
          maxLength={FILENAME_MAX}
          filters={
            <Choice
              name="only"
              label={texts.audience.question}
              value={only}
              options={[["", texts.all], ["private", visibility.private], ["public", visibility.public]]}
              isBare
            />
          }
          texts={texts}
        />
      )}
      <div id={STORED_FILES.list}>
        {files.length === 0
          ? <Empty isFiltered={isFiltered} isFirst={isFirst} hasDiscarded={discarded.count > 0} texts={texts} />
          : (
            <form method="post" action="/uploads">
              <input type="hidden" name="action" value="delete" />
              <ul class="rows files" aria-label={texts.title}>
                {files.map((file) => (
                  <li key={file.id} id={`file-${file.id}`}>
                    <input
                      type="checkbox"
                      name={file.isProfilePhoto ? undefined : file.id}
                      disabled={file.isProfilePhoto}
                      aria-label={texts.choose({ file: file.name })}
                    />
                    <FileDetails file={file} language={language} />
                  </li>
                ))}
              </ul>
              <p class="actions">
                <button class="secondary" type="submit">{texts.deleteChosen}</button>
              </p>
            </form>
          )}
      </div>
      {(!isFirst || nextCursor) && (
        <nav class="pages" aria-label={texts.pages}>
          {!isFirst && <a class="button secondary" href={pageHref({ query, only })}>{texts.firstPage}</a>}
          {nextCursor && (
            <a class="button secondary" rel="next" href={pageHref({ query, only, cursor: nextCursor })}>
              {texts.nextPage}
            </a>
          )}
        </nav>
      )}
    </>
  );
}

/** The address of a page of the files, or of those that a search has found. */
function pageHref({ query, only, cursor }: Pick<UploadLibraryProps, "query" | "only"> & { cursor?: string }): string {
  const parameters = new URLSearchParams({
    ...(query !== "" && { query }),
    ...(only && { only }),
    ...(cursor && { cursor }),
  });
  return `${PAGE}${parameters.size === 0 ? "" : `?${parameters}`}#files`;
}

interface EmptyProps extends Pick<UploadLibraryProps, "isFirst"> {
  isFiltered: boolean;
  hasDiscarded: boolean;
  texts: Texts["library"];
}

function Empty({ isFiltered, isFirst, hasDiscarded, texts }: EmptyProps) {
  if (!isFiltered) return hasDiscarded ? null : <p class="empty">{isFirst ? texts.none : texts.noMore}</p>;
  return (
    <div class="empty">
      <p>{isFirst ? texts.noneFound : texts.noMore}</p>
      <a class="button secondary" href={`${PAGE}#files`}>{texts.showAll}</a>
    </div>
  );
}

interface SpaceProps extends Pick<UploadLibraryProps, "usedBytes" | "quotaBytes" | "hasMoreOnceConfirmed"> {
  language: Language;
}

function Space({ usedBytes, quotaBytes, hasMoreOnceConfirmed, language }: SpaceProps) {
  const { library: texts, sizes } = textsIn(language);
  const [used, quota] = [usedBytes, quotaBytes].map((bytes) => sizeText(bytes, sizes));
  if (quotaBytes === 0) return <p id={STORED_FILES.space} class="meta">{texts.usedWithoutLimit({ size: used })}</p>;
  return (
    <>
      <p id={STORED_FILES.space} class="meta">
        {texts.used({ size: used, quota })} {hasMoreOnceConfirmed && texts.moreOnceConfirmed}
      </p>
      <meter
        id={STORED_FILES.meter}
        aria-label={texts.spaceUsed}
        max={quotaBytes}
        value={usedBytes}
        hidden={usedBytes * 100 < quotaBytes}
      />
    </>
  );
}

function Undo({ names, count, texts }: DiscardedFiles & { texts: Texts["library"] }) {
  return (
    <form method="post" action="/uploads" class="undo">
      <input type="hidden" name="action" value="restore" />
      <div>
        <p>
          <strong>{texts.deleted({ files: count })}</strong> <IsolatedNames names={names} />
          {count > names.length && ` ${texts.andMore({ files: count - names.length })}`}
        </p>
        <p class="meta">{texts.untilGone({ minutes: UNDO_MINUTES })}</p>
      </div>
      <button class="secondary small" type="submit">{texts.undo}</button>
    </form>
  );
}

/** A private file has a page of its own, which makes links: its address is of no use to others. */
function FileDetails({ file, language }: { file: LibraryFile; language: Language }) {
  const { library, uploads: texts } = textsIn(language);
  const { id, name, url, visibility } = file;
  return (
    <>
      <FileThumbnail {...file} />
      <div class="file">
        <div>
          <FileLink name={name} url={url} />
          <FileFacts file={file} language={language} />
          {file.isProfilePhoto && (
            <p class="meta">
              <span class="tag">{library.profilePhoto}</span> <a href="/profile">{library.changePhoto}</a>
            </p>
          )}
          <p class="status" role="status"></p>
        </div>
        <div class="actions">
          <a class="button quiet" href={url} download={savedName(file)} aria-label={texts.downloadFile({ file: name })}>
            {texts.download}
          </a>
          {visibility === "private"
            ? (
              <a class="button quiet" href={`${PAGE}/${id}`} aria-label={texts.shareFile({ file: name })}>
                {texts.share}
              </a>
            )
            : (
              <button class="quiet waits" type="button" data-copies-link aria-label={texts.copyFile({ file: name })}>
                {texts.copy}
              </button>
            )}
        </div>
      </div>
    </>
  );
}
