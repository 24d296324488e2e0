import { Avatar } from "../../../lib/ui/Avatar.tsx";
import { Isolated } from "../../../lib/ui/Isolated.tsx";

interface PersonCellProps {
  id: string;
  name: string;
  email: string;
  /** Default: the initials. */
  avatar?: string | null;
}

/** The title of a row about a person, which leads to their account. */
export function PersonCell({ id, name, email, avatar = null }: PersonCellProps) {
  return (
    <div class="account-line">
      <Avatar name={name} src={avatar} size={40} loading="lazy" />
      <span>
        <a class="person-name row-link" href={`/admin/users/${id}`}>
          <Isolated>{name}</Isolated>
        </a>{" "}
        <span class="meta">
          <Isolated isLtr>{email}</Isolated>
        </span>
      </span>
    </div>
  );
}
