import type { ComponentChildren } from "preact";
import { Avatar } from "./Avatar.tsx";

interface UserDetailsProps {
  /** Names the card, unless the heading of the page is the name of the user. Then the card leaves it out. */
  label?: string;
  name: string;
  bio: string;
  location: string;
  website: string;
  avatar: string | null;
  /** What else the page says about the user. */
  children?: ComponentChildren;
}

/** A user's profile, as others see it. */
export function UserDetails({ label, name, bio, location, website, avatar, children }: UserDetailsProps) {
  return (
    <section class="card person" aria-label={label}>
      <Avatar name={name} src={avatar} size={96} />
      <div>
        {label && (
          <p class="person-name">
            <bdi>{name}</bdi>
          </p>
        )}
        {location && (
          <p class="meta">
            <bdi>{location}</bdi>
          </p>
        )}
        {bio && <p class="bio" dir="auto">{bio}</p>}
        {website && (
          <p>
            <a class="website" href={website} rel="noopener noreferrer nofollow">
              {website.replace(/^https?:\/\/|\/$/g, "")}
            </a>
          </p>
        )}
        {children}
      </div>
    </section>
  );
}
