import { Avatar } from "./Avatar.tsx";

interface UserDetailsProps {
  /** Names the card for screen readers. */
  label?: string;
  name: string;
  bio: string;
  location: string;
  website: string;
  avatar: string | null;
}

/** A user's profile, as others see it. */
export function UserDetails({ label, name, bio, location, website, avatar }: UserDetailsProps) {
  return (
    <section class="card person" aria-label={label}>
      <Avatar name={name} src={avatar} size={96} />
      <div>
        <p class="person-name">
          <bdi>{name}</bdi>
        </p>
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
      </div>
    </section>
  );
}
