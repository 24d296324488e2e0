import type { ComponentChildren } from "preact";
import { OPTIONAL_FIELDS, profileField, type ProfileTexts } from "../schemas/profile_rules.ts";
import { Avatar } from "./Avatar.tsx";
import { Isolated } from "./Isolated.tsx";

interface UserDetailsProps extends ProfileTexts {
  /** Names the card, unless the heading of the page is the name of the user. Then the card leaves it out. */
  label?: string;
  avatar: string | null;
  /** What else the page says about the user. */
  children?: ComponentChildren;
}

/** A user's profile, as others see it. */
export function UserDetails({ label, avatar, children, ...texts }: UserDetailsProps) {
  const shownAs = (kind: "line" | "paragraph" | "link") =>
    OPTIONAL_FIELDS.filter((field) => profileField(field).shown === kind && texts[field] !== "");
  return (
    <section class="card person" aria-label={label}>
      <Avatar name={texts.name} src={avatar} size={96} />
      <div>
        {label && (
          <p class="person-name">
            <Isolated>{texts.name}</Isolated>
          </p>
        )}
        {shownAs("line").map((field) => (
          <p key={field} class="meta">
            <Isolated>{texts[field]}</Isolated>
          </p>
        ))}
        {shownAs("paragraph").map((field) => (
          <p key={field} class="bio">
            <Isolated>{texts[field]}</Isolated>
          </p>
        ))}
        {shownAs("link").map((field) => (
          <p key={field}>
            <a class="website" dir="ltr" href={texts[field]} rel="noopener noreferrer nofollow">
              {texts[field].replace(/^https?:\/\/|\/$/g, "")}
            </a>
          </p>
        ))}
        {children}
      </div>
    </section>
  );
}
