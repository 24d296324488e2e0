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
  discord: () => (
    <>
      <path
        fill="#5865f2"
        d="M8.6 4 8 5.2a15 15 0 0 1 8 0L15.4 4c1.5.2 3 .7 4.3 1.3 2.5 3.7 3.7 7.8 3.3 12.2a16 16 0 0 1-5 2.5l-1.2-2 1.6-.8-.4-.4a12 12 0 0 1-12 0l-.4.4 1.6.8-1.2 2a16 16 0 0 1-5-2.5c-.4-4.4.8-8.5 3.3-12.2C5.6 4.7 7.1 4.2 8.6 4z"
      />
      <ellipse cx="8.5" cy="12.5" rx="1.9" ry="2.1" fill="#fff" />
      <ellipse cx="15.5" cy="12.5" rx="1.9" ry="2.1" fill="#fff" />
    </>
  ),
  facebook: () => (
    <>
      <circle cx="12" cy="12" r="11" fill="#0866ff" />
      <path
        fill="#fff"
        d="M10.5 23v-8.4H8v-3.4h2.5V9.3C10.5 6.5 12 5 14.5 5l2 .2v3h-1.2c-1.2 0-1.6.7-1.6 1.5v1.5h2.7l-.5 3.4h-2.2V23a11 11 0 0 1-3.2 0z"
      />
    </>
  ),
  linkedin: () => (
    <>
      <rect x="1.5" y="1.5" width="21" height="21" rx="2.5" fill="#0a66c2" />
      <path
        fill="#fff"
        d="M5 9.5h3V19H5zm1.5-4.8a1.7 1.7 0 1 1 0 3.5 1.7 1.7 0 0 1 0-3.5zM10 9.5h2.9v1.3c.5-.9 1.6-1.5 2.9-1.5 3 0 3.5 2 3.5 4.5V19h-3v-4.6c0-1.1 0-2.5-1.6-2.5S13 13.1 13 14.3V19h-3z"
      />
    </>
  ),
  slack: () => (
    <>
      <path
        fill="#36c5f0"
        d="M9 1.5A2.5 2.5 0 0 1 11.5 4v2.5H9a2.5 2.5 0 0 1 0-5zM4 7.7h5a2.5 2.5 0 0 1 0 5H4a2.5 2.5 0 0 1 0-5z"
        transform="translate(0 -.2)"
      />
      <path
        fill="#2eb67d"
        d="M22.5 9A2.5 2.5 0 0 1 20 11.5h-2.5V9a2.5 2.5 0 0 1 5 0zM16.5 4v5a2.5 2.5 0 0 1-5 0V4a2.5 2.5 0 0 1 5 0z"
        transform="translate(.2 0)"
      />
      <path
        fill="#ecb22e"
        d="M15 22.5a2.5 2.5 0 0 1-2.5-2.5v-2.5H15a2.5 2.5 0 0 1 0 5zM20 16.5h-5a2.5 2.5 0 0 1 0-5h5a2.5 2.5 0 0 1 0 5z"
        transform="translate(0 .2)"
      />
      <path
        fill="#e01e5a"
        d="M1.5 15A2.5 2.5 0 0 1 4 12.5h2.5V15a2.5 2.5 0 0 1-5 0zM7.5 20v-5a2.5 2.5 0 0 1 5 0v5a2.5 2.5 0 0 1-5 0z"
        transform="translate(-.2 0)"
      />
    </>
  ),
  x: () => (
    <path
      fill="currentColor"
      d="M2 2.5h6.4l4.7 6.6 5.7-6.6h2.6l-7.1 8.3L22 21.5h-6.4l-5-7.1-6.2 7.1H1.8l7.6-8.8zm3.6 2 11 15h1.8l-11-15z"
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
