import { z } from "zod";
import { isConfidential } from "../loopback.ts";
import { originOf, webUrl } from "./variable_types.ts";

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

/** The variables of the brand, each checked on its own. */
export const BRAND_VARIABLES = {
  APP_NAME: z.string().trim().regex(/^[^\p{C}<>]+$/u, "must have no control characters, < or >")
    .refine((value) => [...value].length <= NAME_MAX, `must have at most ${NAME_MAX} characters`).default("Foyer"),
  APP_URL: webUrl.optional(),
  BRAND_COLOR: color.optional(),
  BRAND_COLOR_DARK: color.optional(),
  BRAND_LOGO: logo.optional(),
  BRAND_LOGO_DARK: logo.optional(),
  BRAND_CSS: z.string().regex(/^[^,]+\.css$/, "must be the path of a .css file").optional(),
  SUPPORT_EMAIL: z.email("must be an email address").optional(),
  HELP_URL: webUrl.optional(),
  TERMS_URL: webUrl.optional(),
  PRIVACY_URL: webUrl.optional(),
  AFTER_LOGIN_URL: pageAfterLogin.default("/dashboard"),
};

const LINKS = ["APP_URL", "HELP_URL", "TERMS_URL", "PRIVACY_URL"] as const;

const BrandVariables = z.object(BRAND_VARIABLES);
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
    css: env.BRAND_CSS,
    supportEmail: env.SUPPORT_EMAIL,
    helpUrl: env.HELP_URL,
    termsUrl: env.TERMS_URL,
    privacyUrl: env.PRIVACY_URL,
  };
}
