import { Avatar } from "../Avatar.tsx";
import { Isolated } from "../Isolated.tsx";

interface AccountLineProps {
  name: string;
  email: string;
  avatar: string | null;
}

/** Whose account a page is about. */
export function AccountLine({ name, email, avatar }: AccountLineProps) {
  return (
    <p class="account-line">
      <Avatar name={name} src={avatar} size={40} />
      <span>
        <span class="person-name">
          <Isolated>{name}</Isolated>
        </span>{" "}
        <span class="meta">
          <Isolated isLtr>{email}</Isolated>
        </span>
      </span>
    </p>
  );
}
