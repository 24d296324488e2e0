import { Avatar } from "./Avatar.tsx";

/** A user as others see them. */
export interface ShownUser {
  name: string;
  bio: string;
  location: string;
  website: string;
  avatar: string | null;
}

/** A person's card. */
export function UserDetails({ name, bio, location, website, avatar }: ShownUser) {
  return (
    <section class="card person" aria-label="As others see it">
      <Avatar name={name} src={avatar} size={96} />
      <div>
        <p class="person-name" dir="auto">{name}</p>
        {location && <p class="meta" dir="auto">{location}</p>}
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
