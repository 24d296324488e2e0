/**
 * A product with Express, which signs people in with express-openid-connect:
 * express_product.js ISSUER PORT CLIENT_ID CLIENT_SECRET.
 */
import express from "express";
import { auth } from "express-openid-connect";

const [issuerBaseURL, port, clientID, clientSecret] = process.argv.slice(2);
const app = express();
app.use(auth({
  issuerBaseURL,
  baseURL: `http://localhost:${port}`,
  clientID,
  clientSecret,
  secret: crypto.randomUUID(),
  authRequired: false,
  idpLogout: true,
  // By default it asks for an ID token in a form.
  authorizationParams: { response_type: "code", response_mode: "query", scope: "openid profile email" },
}));
app.get("/", async ({ oidc }, response) => {
  show(
    response,
    oidc.isAuthenticated()
      ? { ...await oidc.fetchUserInfo(), token: oidc.accessToken.access_token }
      : { name: "guest" },
  );
});
app.get("/refresh", async ({ oidc }, response) => {
  await oidc.accessToken.refresh();
  response.redirect("/");
});
app.use((error, _request, response, _next) => show(response, { error: String(error) }));
app.listen(Number(port), "127.0.0.1");

function show(response, values) {
  const text = JSON.stringify(values).replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  response.type("html").send(`<!DOCTYPE html><link rel="icon" href="data:,"><pre>${text}</pre>`);
}
