import { Isolated } from "./Isolated.tsx";

export interface FileLinkProps {
  name: string;
  /** Undefined while the file has no link. */
  url?: string;
}

/** The name of a file, which links to it. */
export function FileLink({ name, url }: FileLinkProps) {
  return (
    <p class="file-name">
      <a href={url}>
        <Isolated>{name}</Isolated>
      </a>
    </p>
  );
}
