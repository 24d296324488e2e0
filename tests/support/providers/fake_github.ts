import { isRightRequest } from "./id_token.ts";

/** An address in the list of GitHub. */
interface GithubEmail {
  email: string;
  primary: boolean;
  verified: boolean;
  visibility: "public" | "private" | null;
}

/** A person at GitHub. The profile shows an address only to those who made it public. */
export interface GithubPerson {
  id: number;
  login: string;
  name: string | null;
  emails: GithubEmail[];
}

/** A provider that behaves like GitHub's OAuth apps. Source: docs.github.com, "Authorizing OAuth apps". */
export interface FakeGithub {
  /** The environment of an app that uses it by the preset. */
  env: Record<string, string>;
  person: GithubPerson;
  /** The paths of the requests so far. */
  requests: string[];
  /** Paths that fail with a status. */
  failures: Record<string, number>;
  /** Whether the person has unchecked the permission to read addresses. */
  withholdsEmails: boolean;
  /** Gives consent and returns the callback address. */
  consent(consentScreen: string): URL;
  [Symbol.asyncDispose](): Promise<void>;
}

const CLIENT = { IDP_GITHUB_CLIENT_ID: "Iv1.0123456789abcdef", IDP_GITHUB_CLIENT_SECRET: "github secret" };

/** The address with which GitHub hides others. It is verified, but receives no email. */
export function noreply({ id, login }: { id: number; login: string }): GithubEmail {
  return { email: `${id}+${login}@users.noreply.github.com`, primary: false, verified: true, visibility: null };
}

export function startFakeGithub(): FakeGithub {
  const codes = new Map<string, URLSearchParams>();
  const tokens = new Map<string, string[]>();

  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (req) => {
    const { pathname } = new URL(req.url);
    github.requests.push(pathname);
    if (pathname in github.failures) return Response.json({ message: "failed" }, { status: github.failures[pathname] });
    if (pathname === "/login/oauth/access_token") return await accessToken(req);
    if (!req.headers.get("user-agent")) return new Response("Make sure your request has a User-Agent", { status: 403 });
    const scopes = tokens.get(req.headers.get("authorization")?.replace(/^(bearer|token) /i, "") ?? "");
    if (scopes === undefined) return Response.json({ message: "Bad credentials" }, { status: 401 });
    if (pathname === "/user") return Response.json(profile());
    if (pathname === "/user/emails" && scopes.includes("user:email")) return Response.json(github.person.emails);
    return Response.json({ message: "Not Found" }, { status: 404 });
  });
  const origin = `http://localhost:${server.addr.port}`;

  /** Errors have the status 200, scopes are separated by commas, and the default format is that of a form. */
  async function accessToken(req: Request): Promise<Response> {
    const form = new URLSearchParams(await req.text());
    const asked = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const isClient = form.get("client_id") === CLIENT.IDP_GITHUB_CLIENT_ID &&
      form.get("client_secret") === CLIENT.IDP_GITHUB_CLIENT_SECRET;
    if (!isClient) return answer(req, { error: "incorrect_client_credentials" });
    if (!await isRightRequest(form, asked)) return answer(req, { error: "bad_verification_code" });
    const scopes = asked!.get("scope")!.split(" ").filter((scope) => !github.withholdsEmails || scope !== "user:email");
    const token = `gho_${crypto.randomUUID()}`;
    tokens.set(token, scopes);
    return answer(req, { access_token: token, scope: scopes.join(","), token_type: "bearer" });
  }

  function profile() {
    const { emails, ...person } = github.person;
    const shown = emails.find(({ visibility }) => visibility === "public")?.email ?? null;
    return { ...person, email: shown, avatar_url: `https://avatars.example/u/${person.id}`, type: "User" };
  }

  const github: FakeGithub = {
    env: {
      IDP_GITHUB_AUTH_URL: `${origin}/login/oauth/authorize`,
      IDP_GITHUB_TOKEN_URL: `${origin}/login/oauth/access_token`,
      IDP_GITHUB_USERINFO_URL: `${origin}/user`,
      ...CLIENT,
    },
    person: { id: 1, login: "octo", name: null, emails: [] },
    requests: [],
    failures: {},
    withholdsEmails: false,
    consent(consentScreen) {
      const { searchParams } = new URL(consentScreen);
      const code = crypto.randomUUID();
      codes.set(code, searchParams);
      const callback = new URL(searchParams.get("redirect_uri")!);
      callback.search = String(new URLSearchParams({ code, state: searchParams.get("state")! }));
      return callback;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return github;
}

function answer(req: Request, body: Record<string, string>): Response {
  if (req.headers.get("accept")?.includes("application/json")) return Response.json(body);
  return new Response(new URLSearchParams(body));
}
