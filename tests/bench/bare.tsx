/** Minimal servers for the same work, to measure the cost of the app's framework, rules and security. */
import pg from "pg";
import { renderToString } from "preact-render-to-string";
import { BareLoginPage } from "./bare_login_page.tsx";
import { bareIntrospection } from "./bare_introspection.ts";
import { bareRefresh } from "./bare_refresh.ts";

/** The columns that are sent. The time is a number: a Date would take longer than the rest of its row. */
const LISTED_COLUMNS = "id, name, email, avatar, provider, floor(date_part('epoch', created_at)) as created_at";
const COLUMNS = `${LISTED_COLUMNS}, bio, location, website`;
/** They are named, so that the server plans each of them once. */
const STATEMENTS = {
  health: "select 1",
  user: `select ${COLUMNS} from users where id = $1`,
  users: `select ${LISTED_COLUMNS} from users order by id desc limit $1`,
};
const NO_STORE = { "Cache-Control": "no-store" };

const pool = new pg.Pool({ connectionString: Deno.env.get("DATABASE_URL"), max: 10 });
const query = async (name: keyof typeof STATEMENTS, values: unknown[] = []) =>
  (await pool.query({ name, text: STATEMENTS[name], values })).rows;
const idOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);

const HANDLERS: Record<string, (req: Request) => Promise<Response>> = {
  async health() {
    await query("health");
    const timestamp = new Date().toISOString();
    return Response.json({ status: "ok", db: "connected", timestamp, version: "0" }, { headers: NO_STORE });
  },
  async user({ url }) {
    const [row] = await query("user", [idOf(url)]);
    return Response.json({ data: row });
  },
  async users({ url }) {
    return Response.json({ data: await query("users", [Number(idOf(url))]), nextCursor: null });
  },
  refresh: (req) => bareRefresh(pool, req),
  introspection: (req) => bareIntrospection(pool, req),
  login: () => {
    const html = `<!DOCTYPE html>${renderToString(<BareLoginPage />)}`;
    return Promise.resolve(new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } }));
  },
};

const handler = HANDLERS[Deno.args[0]];
Deno.serve({ port: Number(Deno.env.get("PORT")), hostname: "127.0.0.1", onListen() {} }, handler);
