import { Avatar } from "../Avatar.tsx";

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
        <bdi class="person-name">{name}</bdi>
        <span class="meta">{email}</span>
      </span>
    </p>
  );
}
