import { createFoyer, type FoyerSession } from "foyer-client";
import { foyerSession, requireUser } from "foyer-client/fresh";
import { App } from "fresh";

const port = Number(Deno.env.get("PORT") ?? 3000);
const url = Deno.env.get("FOYER_URL") ?? "http://localhost:8000";
const foyer = createFoyer({ url, origin: `http://localhost:${port}` });

const app = new App<{ foyer?: FoyerSession | null }>()
  .use(foyerSession(foyer))
  .get("/", ({ state }) => {
    if (!state.foyer) return html(`<h1>Hello, guest</h1><a href="${foyer.loginUrl("/")}">Log in</a>`);
    const { name, picture } = state.foyer.user;
    const photo = picture === null ? "" : `<img src="${escape(picture)}" alt="" width="96">`;
    return html(`<h1>Hello, ${escape(name)}</h1>${photo}<a href="${foyer.logoutUrl("/")}">Log out</a>`);
  })
  .get("/notes", requireUser(foyer), ({ state }) => html(`<h1>Notes of ${escape(state.foyer!.user.name)}</h1>`));

Deno.serve({ port, hostname: "127.0.0.1" }, app.handler());

function html(text: string): Response {
  return new Response(text, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
