/** Programs that read their settings from lines. docs/connect/README.md has the same lines, which a test compares. */

/** What a program must know. */
export interface ProgramValues {
  /** What people call this service. */
  brand: string;
  issuer: string;
  clientId: string;
  secret: string;
}

/** A program, and the lines to copy into its settings. */
export interface Program {
  name: string;
  /** The redirect URI, below the address of the program. */
  callback(brand: string): string;
  lines(values: ProgramValues): string;
}

export const PROGRAMS: Program[] = [
  {
    name: "Grafana",
    callback: () => "/login/generic_oauth",
    lines: ({ brand, issuer, clientId, secret }) =>
      `[auth.generic_oauth]
enabled = true
name = ${brand}
client_id = ${clientId}
client_secret = ${secret}
scopes = openid profile email
auth_url = ${issuer}/oauth/authorize
token_url = ${issuer}/oauth/token
api_url = ${issuer}/oauth/userinfo
login_attribute_path = email
name_attribute_path = name
use_pkce = true
use_refresh_token = true`,
  },
  {
    name: "Gitea, Forgejo",
    callback: (brand) => `/user/oauth2/${slug(brand)}/callback`,
    lines: ({ brand, issuer, clientId, secret }) =>
      `gitea admin auth add-oauth --name ${slug(brand)} --provider openidConnect --key ${clientId} --secret ${secret} \\
  --auto-discover-url ${issuer}/.well-known/openid-configuration --scopes "openid profile email"`,
  },
  {
    name: "Outline",
    callback: () => "/auth/oidc.callback",
    lines: ({ brand, issuer, clientId, secret }) =>
      `OIDC_CLIENT_ID=${clientId}
OIDC_CLIENT_SECRET=${secret}
OIDC_AUTH_URI=${issuer}/oauth/authorize
OIDC_TOKEN_URI=${issuer}/oauth/token
OIDC_USERINFO_URI=${issuer}/oauth/userinfo
OIDC_LOGOUT_URI=${issuer}/oauth/logout
OIDC_USERNAME_CLAIM=preferred_username
OIDC_DISPLAY_NAME=${brand}
OIDC_SCOPES="openid profile email"`,
  },
];

/** The name in addresses, and in commands without quotes. */
function slug(brand: string): string {
  return brand.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || "accounts";
}
