import { serve } from "@hono/node-server";
import { createFoyer } from "foyer-client";
import { foyerSession, requireUser } from "foyer-client/hono";
import { Hono } from "hono";
import { html } from "hono/html";

const { PORT = "3000", FOYER_URL = "http://localhost:8000" } = process.env;
const foyer = createFoyer({ url: FOYER_URL, origin: `http://localhost:${PORT}` });

const app = new Hono();
app.use(foyerSession(foyer));

app.get("/", (c) => {
  const session = c.get("foyer");
  if (session === null) return c.html(html`<h1>Hello, guest</h1><a href="${foyer.loginUrl("/")}">Log in</a>`);
  const { name, picture } = session.user;
  return c.html(
    html`<h1>Hello, ${name}</h1>${picture && html`<img src="${picture}" alt="" width="96">`}
      <a href="${foyer.logoutUrl("/")}">Log out</a>`,
  );
});

app.get("/notes", requireUser(foyer), (c) => c.html(html`<h1>Notes of ${c.get("foyer").user.name}</h1>`));

serve({ fetch: app.fetch, port: Number(PORT), hostname: "127.0.0.1" });
