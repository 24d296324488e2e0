import type { Texts } from "../../texts/texts.ts";
import { Avatar } from "../Avatar.tsx";
import { Isolated } from "../Isolated.tsx";

/** The person whose menu it is. */
export interface Member {
  id: string;
  name: string;
  email: string;
  avatar: string | null;
  /** Admins also reach the pages of the administration. */
  role: string;
  /** When the account is deleted; null unless it is closing. */
  deletionDueAt: Date | null;
}

interface AccountMenuProps {
  user: Member;
  /** Whether others see their profile, on a page of its own. */
  hasPage: boolean;
  hasFiles: boolean;
  texts: Texts["frame"];
}

/** The pages of a member's own account, and the way out. A popover: it opens and closes without scripts. */
export function AccountMenu({ user, ...has }: AccountMenuProps) {
  const { texts } = has;
  const { name, email, avatar, deletionDueAt } = user;
  const groups = deletionDueAt === null ? memberLinks(user, has) : [{ "/keep-account": texts.keepAccount }];
  return (
    <>
      <button class="account" type="button" popovertarget="account-menu" aria-label={texts.accountMenu({ name })}>
        <Avatar name={name} src={avatar} size={40} />
      </button>
      <div id="account-menu" popover="auto">
        <div>
          <p class="person-name">
            <Isolated>{name}</Isolated>
          </p>
          <p class="meta">
            <Isolated isLtr>{email}</Isolated>
          </p>
        </div>
        {groups.map((links) => (
          <ul>
            {Object.entries(links).map(([href, text]) => (
              <li>
                <a href={href}>{text}</a>
              </li>
            ))}
          </ul>
        ))}
        <form method="post" action="/logout">
          <button type="submit">{texts.logOut}</button>
        </form>
      </div>
    </>
  );
}

function memberLinks(
  { id, role }: Member,
  { hasPage, hasFiles, texts }: Omit<AccountMenuProps, "user">,
): Record<string, string>[] {
  return [
    {
      "/dashboard": texts.dashboard,
      ...(hasFiles && { "/uploads": texts.uploads }),
      ...(hasPage && { [`/users/${id}`]: texts.viewProfile }),
    },
    { "/profile": texts.settings, "/settings/sessions": texts.security },
    ...role === "admin" ? [{ "/admin": texts.administration }] : [],
  ];
}
