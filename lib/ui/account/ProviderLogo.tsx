import type { JSX } from "preact";

/** The logo of an identity provider by its key, or a key for all others. Decorative: the name is always beside it. */
export function ProviderLogo({ provider }: { provider: string }) {
  const Logo = Object.hasOwn(LOGOS, provider) ? LOGOS[provider] : Key;
  return (
    <svg class="logo" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <Logo />
    </svg>
  );
}

const LOGOS: Record<string, () => JSX.Element> = {
  google: () => (
    <>
      <path
        fill="#4285f4"
        d="M23 12.3c0-.8-.1-1.5-.2-2.2H12v4.3h6.2a5.3 5.3 0 0 1-2.3 3.5v2.9h3.7c2.1-2 3.4-4.9 3.4-8.5z"
      />
      <path
        fill="#34a853"
        d="M12 23.5c3.1 0 5.7-1 7.6-2.8l-3.7-2.9a6.9 6.9 0 0 1-10.3-3.6H1.8v3A11.5 11.5 0 0 0 12 23.5z"
      />
      <path fill="#fbbc05" d="M5.6 14.2a6.8 6.8 0 0 1 0-4.4v-3H1.8a11.5 11.5 0 0 0 0 10.4z" />
      <path
        fill="#ea4335"
        d="M12 5.1c1.7 0 3.2.6 4.4 1.7l3.3-3.3A11.5 11.5 0 0 0 1.8 6.8l3.8 3A6.9 6.9 0 0 1 12 5.1z"
      />
    </>
  ),
  github: () => (
    <path
      fill="currentColor"
      d="M12 .3a12 12 0 0 0-3.8 23.4c.6.1.8-.3.8-.6v-2c-3.3.7-4-1.6-4-1.6-.6-1.4-1.4-1.8-1.4-1.8-1-.7.1-.7.1-.7 1.2 0 1.9 1.2 1.9 1.2 1 1.8 2.8 1.3 3.5 1 0-.8.4-1.3.7-1.6-2.7-.3-5.5-1.3-5.5-6 0-1.2.5-2.3 1.3-3.1-.2-.4-.6-1.6 0-3.2 0 0 1-.3 3.4 1.2a11.5 11.5 0 0 1 6 0c2.3-1.5 3.3-1.2 3.3-1.2.6 1.6.2 2.8 0 3.2.9.8 1.3 1.9 1.3 3.2 0 4.6-2.8 5.6-5.5 5.9.5.4.9 1 .9 2.2v3.3c0 .3.1.7.8.6A12 12 0 0 0 12 .3"
    />
  ),
  microsoft: () => (
    <>
      <path fill="#f25022" d="M2 2h9.5v9.5H2z" />
      <path fill="#7fba00" d="M12.5 2H22v9.5h-9.5z" />
      <path fill="#00a4ef" d="M2 12.5h9.5V22H2z" />
      <path fill="#ffb900" d="M12.5 12.5H22V22h-9.5z" />
    </>
  ),
  apple: () => (
    <path
      fill="currentColor"
      d="M12.2 6.9c-1 0-2.5-1.1-4-1-2 0-3.9 1.2-5 3-2 3.7-.5 9.1 1.6 12.1 1 1.5 2.2 3.1 3.8 3 1.5 0 2-.9 3.9-.9s2.4 1 4 1c1.6-.1 2.6-1.6 3.6-3 1.2-1.7 1.7-3.4 1.7-3.5 0 0-3.2-1.2-3.2-4.8 0-3 2.5-4.5 2.6-4.6-1.5-2-3.7-2.3-4.4-2.3-2-.2-3.7 1-4.6 1zm3.3-3.1c.9-1 1.4-2.4 1.3-3.8-1.2.1-2.7.8-3.5 1.8-.8.9-1.5 2.3-1.3 3.7 1.3.1 2.7-.7 3.5-1.7"
    />
  ),
  gitlab: () => (
    <>
      <path
        fill="#fc6d26"
        d="M23.6 9.6 20.3 1a.9.9 0 0 0-1.6.1l-2.2 6.7h-9L5.3 1.1A.9.9 0 0 0 3.7 1L.4 9.5a6.1 6.1 0 0 0 2 7.1L12 23.8l9.6-7.2a6.1 6.1 0 0 0 2-7z"
      />
      <path
        fill="#fca326"
        d="M12 23.8 7.5 7.8H.9a6.1 6.1 0 0 0 1.5 8.8zm0 0 4.5-16h6.6a6.1 6.1 0 0 1-1.5 8.8z"
        opacity=".6"
      />
    </>
  ),
};

function Key() {
  return (
    <path
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      d="M11.5 12.5 21 3m-3 3 2.5 2.5M7.5 21a5 5 0 1 0 0-10 5 5 0 0 0 0 10z"
    />
  );
}
