import { Environment, type Variables } from "./environment.ts";

/** Values of the variables that have no default, or one that would not help. */
const EXAMPLES: Partial<Record<keyof Variables, string>> = {
  APP_ENV: "production",
  AUDIT_LOG: "/var/log/foyer/audit.jsonl",
  TEXTS_DIR: "/etc/foyer/texts",
  DEFAULT_LANGUAGE: "de",
  LOG_FORMAT: "json",
  HOST: "0.0.0.0",
  METRICS_PORT: "9464",
  BASE_URL: "https://foyer.example.com",
  DATABASE_URL: "postgres://foyer@db.example.com/foyer?sslmode=verify-full",
  TRUSTED_PROXIES: "1",
  APP_SECRET: "... (the output of openssl rand -base64 32)",
  APP_SECRET_PREVIOUS: "the-former-secret-of-at-least-32-bytes",
  COOKIE_DOMAIN: "example.com",
  API_ORIGIN: "https://api.example.com",
  CORS_ORIGINS: "https://app.example.com https://admin.example.com",
  RETURN_ORIGINS: "https://app.example.com https://wiki.example.com",
  TOKEN_AUDIENCES: "https://app.example.com wiki",
  CLIENTS_FILE: "/etc/foyer/clients.json",
  PASSKEY_RP_ID: "example.com",
  ALLOWED_EMAIL_DOMAINS: "example.com example.org",
  BREACHED_PASSWORDS_URL: "https://api.pwnedpasswords.com/range/",
  LIMIT_LOGIN: "5/900",
  EMAIL_API_TOKEN: "re_123456789",
  EMAIL_URL: "smtp://foyer:secret@mail.example.com:587",
  EMAIL_FROM: "Foyer <no-reply@example.com>",
  IDP_PROVIDERS: "google github",
  S3_ENDPOINT: "https://s3.eu-central-1.amazonaws.com",
  S3_REGION: "eu-central-1",
  S3_BUCKET: "foyer-files",
  S3_PRIVATE_BUCKET: "foyer-private-files",
  S3_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  S3_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  S3_PUBLIC_URL: "https://files.example.com",
  APP_NAME: "Acme Notes",
  APP_URL: "https://www.example.com",
  BRAND_COLOR: "#c62828",
  BRAND_COLOR_DARK: "#ff8a80",
  BRAND_LOGO: "/etc/foyer/logo.png",
  BRAND_LOGO_DARK: "/etc/foyer/logo-dark.png",
  BRAND_CSS: "/etc/foyer/brand.css",
  SUPPORT_EMAIL: "help@example.com",
  HELP_URL: "https://www.example.com/help",
  TERMS_URL: "https://www.example.com/terms",
  PRIVACY_URL: "https://www.example.com/privacy",
  CONVERTER_FOLDER: "/tmp/foyer-converters-1",
  VARIABLE_NAMES: "HOME PATH",
};

/** Values of the variables of identity providers, by the ends of their names. */
const OF_PROVIDERS: Record<string, string> = {
  ISSUER: "https://id.example.com",
  AUTH_URL: "https://id.example.com/authorize",
  TOKEN_URL: "https://id.example.com/token",
  USERINFO_URL: "https://id.example.com/userinfo",
  CLIENT_ID: "foyer",
  CLIENT_SECRET: "... (from the provider)",
  SCOPES: "openid email profile",
  NAME: "Example",
  TENANT: "8eaef023-2b34-4da1-9baa-8bc8c9d6a490",
  TRUST_EMAIL: "true",
};

/** Returns a variable with a value that it could have, as in a shell. */
export function exampleOf(name: string): string {
  const value = EXAMPLES[name as keyof Variables] ?? ofProvider(name) ?? byDefault(name);
  return /[\s<>#]/.test(value) ? `${name}="${value}"` : `${name}=${value}`;
}

function ofProvider(name: string): string | undefined {
  if (name.startsWith("IDP_GITHUB_") && name.endsWith("_SCOPES")) return "read:user user:email";
  const end = Object.keys(OF_PROVIDERS).find((end) => name.startsWith("IDP_") && name.endsWith(`_${end}`));
  return end === undefined ? undefined : OF_PROVIDERS[end];
}

function byDefault(name: string): string {
  const value = Environment.parse({})[name as keyof Variables];
  return isLimit(value) ? `${value.quota}/${value.windowSeconds}` : String(value);
}

function isLimit(value: unknown): value is { quota: number; windowSeconds: number } {
  return value instanceof Object && "quota" in value;
}
