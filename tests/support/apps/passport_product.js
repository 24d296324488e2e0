/**
 * A product with Express, which signs people in with passport-openidconnect:
 * passport_product.js ISSUER PORT CLIENT_ID CLIENT_SECRET. The library knows neither challenges, refreshes nor logouts.
 */
import express from "express";
import session from "express-session";
import passport from "passport";
import Strategy from "passport-openidconnect";

const [issuer, port, clientID, clientSecret] = process.argv.slice(2);
const options = {
  issuer,
  authorizationURL: `${issuer}/oauth/authorize`,
  tokenURL: `${issuer}/oauth/token`,
  userInfoURL: `${issuer}/oauth/userinfo`,
  clientID,
  clientSecret,
  callbackURL: "/callback",
  scope: ["profile", "email"],
  skipUserProfile: false,
};
passport.use(new Strategy(options, (_issuer, profile, done) => done(null, profile)));
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(session({ secret: crypto.randomUUID(), resave: false, saveUninitialized: false, name: "passport_product" }));
app.use(passport.authenticate("session"));
app.get("/", ({ user }, response) => {
  const values = user === undefined ? { name: "guest" } : {
    id: user.id,
    name: user.displayName,
    givenName: user.name.givenName,
    email: user.emails[0].value,
  };
  const text = JSON.stringify(values).replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  response.type("html").send(`<!DOCTYPE html><link rel="icon" href="data:,"><pre>${text}</pre>`);
});
app.get("/login", passport.authenticate("openidconnect"));
app.get("/callback", passport.authenticate("openidconnect", { successRedirect: "/" }));
app.listen(Number(port), "127.0.0.1");
