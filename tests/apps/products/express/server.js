import express from "express";
import { createFoyer } from "foyer-client";
import { foyerSession, requireUser } from "foyer-client/express";

const { PORT = "3000", FOYER_URL = "http://localhost:8000" } = process.env;
const foyer = createFoyer({ url: FOYER_URL, origin: `http://localhost:${PORT}` });

const app = express();
app.use(foyerSession(foyer));

app.get("/", (request, response) => {
  if (request.foyer === null) return response.send(`<h1>Hello, guest</h1><a href="${foyer.loginUrl("/")}">Log in</a>`);
  const { name, picture } = request.foyer.user;
  const photo = picture === null ? "" : `<img src="${escape(picture)}" alt="" width="96">`;
  response.send(`<h1>Hello, ${escape(name)}</h1>${photo}<a href="${foyer.logoutUrl("/")}">Log out</a>`);
});

app.get("/notes", requireUser(foyer), (request, response) => {
  response.send(`<h1>Notes of ${escape(request.foyer.user.name)}</h1>`);
});

app.listen(Number(PORT), "127.0.0.1");

function escape(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
