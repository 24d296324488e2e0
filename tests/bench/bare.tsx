/** Minimal servers for the same work, to measure the cost of the app's framework, rules and security. */
import pg from "pg";
import { renderToString } from "preact-render-to-string";
import { BareLoginPage } from "./bare_login_page.tsx";

const SESSION_USER =
  "select u.*, s.expires_at from sessions s join users u on u.id = s.user_id where s.id = $1 and s.expires_at > $2";
const NO_STORE = { "Cache-Control": "no-store" };

const pool = new pg.Pool({ connectionString: Deno.env.get("DATABASE_URL") });
const idOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);

const HANDLERS: Record<string, (req: Request) => Promise<Response>> = {
  async health() {
    await pool.query("select 1");
    const timestamp = new Date().toISOString();
    return Response.json({ status: "ok", db: "connected", timestamp, version: "0" }, { headers: NO_STORE });
  },
  async user({ url }) {
    const { rows } = await pool.query("select * from users where id = $1", [idOf(url)]);
    return Response.json({ data: rows[0] ?? null });
  },
  async profile({ url }) {
    const { rows } = await pool.query(SESSION_USER, [idOf(url), new Date()]);
    return Response.json({ user: rows[0] ?? null }, { headers: NO_STORE });
  },
  login: () => {
    const html = `<!DOCTYPE html>${renderToString(<BareLoginPage />)}`;
    return Promise.resolve(new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } }));
  },
};

const handler = HANDLERS[Deno.args[0]];
Deno.serve({ port: Number(Deno.env.get("PORT")), hostname: "127.0.0.1", onListen() {} }, handler);
