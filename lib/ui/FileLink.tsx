export interface FileLinkProps {
  name: string;
  url: string;
}

/** An uploaded file and its link. */
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
