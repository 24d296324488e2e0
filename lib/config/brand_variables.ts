import { z } from "zod";
import { isConfidential } from "../network/loopback.ts";
import { originOf, rulesOf, type Settings, webUrl } from "./variable_types.ts";

const NAME_MAX = 60;
const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

const color = z.string().regex(HEX, "must be a color such as #1f6355").transform((value) => {
  const digits = value.slice(1).toLowerCase();
  return `#${digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits}`;
});
/** Pages are https, so browsers would load no image from an http address. The launcher separates paths with commas. */
const logo = z.string()
  .refine(
    (value) => !/^[a-z][a-z0-9+.-]*:/i.test(value) || /^https:\/\/[^\s"<>]+$/i.test(value) && URL.canParse(value),
    {
      error: "must be a file or an https URL",
      abort: true,
    },
  )
  .refine((value) => /^https:/i.test(value) || /^[^,]+\.(svg|png)$/i.test(value), "must be an SVG or a PNG");
/** The page after logging in: it must not send people to itself. */
const pageAfterLogin = z.string().refine(
  (value) => /^https?:\/\//.test(value) ? originIn(value) !== null : /^\/[^/\\\s][^\\\s]*$/.test(value),
  "must be a path such as /dashboard, or an http or https URL",
).refine((value) => !/^\/(login|register|logout)(?![\w-])/.test(value), "must not be a page for guests");

/** The settings of the brand. */
export const BRAND = {
  APP_NAME: {
    rule: z.string().trim().regex(/^[^\p{C}<>]+$/u, "must have no control characters, < or >").refine(
      (value) => [...value].length <= NAME_MAX,
      `must have at most ${NAME_MAX} characters`,
    ).default("Foyer"),
    example: "Acme Notes",
    says: "the name of the product: on pages, in emails, authenticator apps and passkeys. At most 60 characters",
  },
  APP_URL: {
    rule: webUrl.optional(),
    example: "https://www.example.com",
    unset: "`/`",
    says: "where the logo leads; https in production",
  },
  BRAND_COLOR: {
    rule: color.optional(),
    example: "#c62828",
    unset: "`#1f6355`",
    says:
      "the color of buttons, links and focus, such as `#c62828`. Both modes, hover and contrast (WCAG AA) are derived from it",
  },
  BRAND_COLOR_DARK: {
    rule: color.optional(),
    example: "#ff8a80",
    unset: "a pale `BRAND_COLOR`",
    says: "the same in the dark mode",
  },
  BRAND_LOGO: {
    rule: logo.optional(),
    example: "/etc/foyer/logo.png",
    unset: "the first letter of `APP_NAME`",
    says:
      "a square SVG or PNG: a file of at most 256 KiB, or an https URL. Emails, phones and previews of links show only a PNG",
  },
  BRAND_LOGO_DARK: { rule: logo.optional(), example: "/etc/foyer/logo-dark.png", says: "the same in the dark mode" },
  BRAND_STYLE: {
    rule: z.enum(["threshold", "plain"], "must be threshold or plain").default("threshold"),
    says:
      "`threshold`: pages on which people log in are a lit door, and headings have serifs; or `plain`: cards, and the same letters everywhere",
  },
  BRAND_CSS: {
    rule: z.string().regex(/^[^,]+\.css$/, "must be the path of a .css file").optional(),
    example: "/etc/foyer/brand.css",
    says: "a file that sets custom properties of our style sheet; it may set nothing else",
  },
  SUPPORT_EMAIL: {
    rule: z.email("must be an email address").optional(),
    example: "help@example.com",
    unset: "none",
    says: "an email address in the footer of pages and emails",
  },
  HELP_URL: {
    rule: webUrl.optional(),
    example: "https://www.example.com/help",
    unset: "none",
    says: "a link in the footer of pages and emails; https in production",
  },
  TERMS_URL: {
    rule: webUrl.optional(),
    example: "https://www.example.com/terms",
    unset: "none",
    says: "the same, also on the page for creating an account",
  },
  PRIVACY_URL: {
    rule: webUrl.optional(),
    example: "https://www.example.com/privacy",
    unset: "none",
    says: "the same, also on the page for creating an account",
  },
  AFTER_LOGIN_URL: {
    rule: pageAfterLogin.default("/dashboard"),
    says:
      "where people go after logging in, unless a page has sent them: a path, or an address whose origin is in `RETURN_ORIGINS`",
  },
} satisfies Settings;

const LINKS = ["APP_URL", "HELP_URL", "TERMS_URL", "PRIVACY_URL"] as const;

const BrandVariables = z.object(rulesOf(BRAND));
type BrandVariables = z.infer<typeof BrandVariables>;

/** Checks variables of the brand that depend on others. Returns one line for each problem. */
export function brandProblems(
  variables: BrandVariables & { APP_ENV: string; BASE_URL?: string; RETURN_ORIGINS: string[] },
): string[] {
  const { APP_ENV, BASE_URL, RETURN_ORIGINS, AFTER_LOGIN_URL, BRAND_LOGO, BRAND_LOGO_DARK } = variables;
  const isOpen = (address?: string) => address !== undefined && !isConfidential(address, { isProduction: false });
  const afterLogin = originIn(AFTER_LOGIN_URL);
  return [
    ...APP_ENV === "production"
      ? LINKS.filter((name) => isOpen(variables[name])).map((name) => `${name}: must be https in production`)
      : [],
    ...afterLogin !== null && afterLogin !== BASE_URL && !RETURN_ORIGINS.includes(afterLogin)
      ? ["AFTER_LOGIN_URL: must be a path, or an address whose origin is in RETURN_ORIGINS"]
      : [],
    ...BRAND_LOGO_DARK !== undefined && BRAND_LOGO === undefined ? ["BRAND_LOGO: required with BRAND_LOGO_DARK"] : [],
  ];
}

/** The origin of an absolute URL without credentials; null for anything else. */
function originIn(address: string): string | null {
  const url = URL.parse(address);
  return url === null || url.username !== "" ? null : originOf(url.origin);
}

/** Returns what the variables say about the brand. */
export function brandSettings(env: BrandVariables) {
  return {
    name: env.APP_NAME,
    homeUrl: env.APP_URL,
    color: env.BRAND_COLOR,
    colorDark: env.BRAND_COLOR_DARK,
    logo: env.BRAND_LOGO,
    logoDark: env.BRAND_LOGO_DARK,
    style: env.BRAND_STYLE,
    css: env.BRAND_CSS,
    supportEmail: env.SUPPORT_EMAIL,
    helpUrl: env.HELP_URL,
    termsUrl: env.TERMS_URL,
    privacyUrl: env.PRIVACY_URL,
  };
}
