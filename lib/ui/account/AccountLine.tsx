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
        <Isolated class="person-name">{name}</Isolated> <Isolated class="meta" isLtr>{email}</Isolated>
      </span>
    </p>
  );
}
