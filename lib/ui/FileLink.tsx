export interface FileLinkProps {
  name: string;
  url: string;
}

/** A file that has arrived, and the link to give away. */
export function FileLink({ name, url }: FileLinkProps) {
  return (
    <>
      <p class="file-name">{name}</p>
      <p>
        <a href={url}>{url}</a>
      </p>
    </>
  );
}
