export interface FileLinkProps {
  name: string;
  url: string;
  /** Where scripts run: puts the link where it can be pasted from. */
  onCopy?(): void;
}

/** A file that has arrived, and the link to give away. */
export function FileLink({ name, url, onCopy }: FileLinkProps) {
  return (
    <>
      <p class="file-name">{name}</p>
      <p>
        <a href={url}>{url}</a>
      </p>
      {onCopy && (
        <button class="secondary small" type="button" aria-label={`Copy the link to ${name}`} onClick={onCopy}>
          Copy the link
        </button>
      )}
    </>
  );
}
