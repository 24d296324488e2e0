/** A product that signs people in with NextAuth.js 4: next_auth_product.mjs FOLDER ISSUER PORT CLIENT_ID CLIENT_SECRET. */
import { createServer } from "node:http";
import { createRequire } from "node:module";
import process from "node:process";
import { text } from "node:stream/consumers";

const [folder, issuer, port, clientId, clientSecret] = process.argv.slice(2);
/** The package is in the folder: it would install the whole of Next beside it. */
const require = createRequire(`${folder}/`);
const { default: NextAuth } = require("next-auth");
process.env.NEXTAUTH_URL = `http://localhost:${port}`;

const options = {
  secret: crypto.randomUUID(),
  providers: [{
    id: "foyer",
    name: "Foyer",
    type: "oauth",
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    authorization: { params: { scope: "openid email profile" } },
    idToken: true,
    checks: ["pkce", "state", "nonce"],
    clientId,
    clientSecret,
    profile: ({ sub, name, email }) => ({ id: sub, name, email }),
  }],
  callbacks: {
    async jwt({ token, account, trigger }) {
      if (account) return { ...token, ...tokensOf(account) };
      return trigger === "update" ? { ...token, ...tokensOf(await refresh(token)) } : token;
    },
    session: ({ session, token: { accessToken, idToken } }) => ({ ...session, accessToken, idToken }),
  },
};

/** NextAuth.js has no function for this. Source: next-auth.js.org, Refresh Token Rotation. */
async function refresh({ refreshToken }) {
  const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...grant });
  const response = await fetch(`${issuer}/oauth/token`, { method: "POST", body });
  const tokens = await response.json();
  if (!response.ok) throw new Error(tokens.error_description);
  return tokens;
}

function tokensOf({ access_token, refresh_token, id_token }) {
  return { accessToken: access_token, refreshToken: refresh_token, idToken: id_token };
}

/** Gives the handler of NextAuth.js what an API route of Next has. */
createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, process.env.NEXTAUTH_URL);
  const [, path] = pathname.match(/^\/api\/auth\/(.*)/) ?? [];
  if (path === undefined) {
    return response.setHeader("Content-Type", "text/html").end('<!DOCTYPE html><link rel="icon" href="data:,">');
  }
  request.query = { ...Object.fromEntries(searchParams), nextauth: path.split("/") };
  request.cookies = Object.fromEntries(
    (request.headers.cookie ?? "").split("; ").map((pair) => [
      pair.slice(0, pair.indexOf("=")),
      decodeURIComponent(pair.slice(pair.indexOf("=") + 1)),
    ]),
  );
  const body = await text(request);
  const isJson = request.headers["content-type"] === "application/json";
  request.body = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
  response.status = (status) => Object.assign(response, { statusCode: status });
  response.json = (value) => response.setHeader("Content-Type", "application/json").end(JSON.stringify(value));
  response.send = (value) => response.end(typeof value === "object" ? JSON.stringify(value) : value);
  await NextAuth(request, response, options);
}).listen(Number(port), "127.0.0.1");
