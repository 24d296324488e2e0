/**
 * How fast the server renders /login, against bare preact-render-to-string of the same markup in Deno.serve: both in
 * this process, in turns, over HTTP. Prints the ratio.
 *
 *     deno run -A tests/bench/login_page.tsx
 */
import { renderToString } from "preact-render-to-string";
import { Builder } from "fresh/dev";
import { appOptions, buildOptions } from "../../fresh.config.ts";
import { createApp } from "../../lib/http/app.ts";
import { outerHandler } from "../../lib/http/outer_handler.ts";
import { Field } from "../../lib/ui/Field.tsx";
import { FormMessage } from "../../lib/ui/FormMessage.tsx";
import { SiteHeader } from "../../lib/ui/SiteHeader.tsx";
import { freePort } from "../support/app_process.ts";
import { openTestApp } from "../support/test_app.ts";

const ROUNDS = 7;
const ROUND_SECONDS = 2;
const CONNECTIONS = 8;

const port = freePort();
await using test = await openTestApp({ BASE_URL: `http://127.0.0.1:${port}` });
const services = { ...test.services, log() {} };
const app = createApp(services, { options: appOptions });
(await new Builder(buildOptions).build({ snapshot: "memory" }))(app);

const quiet = { hostname: "127.0.0.1", onListen() {} };
const ours = Deno.serve({ ...quiet, port }, outerHandler(services, app.handler()));
const bare = Deno.serve({ ...quiet, port: 0 }, () => {
  const html = `<!DOCTYPE html>${renderToString(<BareDocument />)}`;
  return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
});

const rates: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
for (let round = 0; round < ROUNDS; round++) {
  rates.ours.push(await rateOf(`http://127.0.0.1:${ours.addr.port}/login`));
  rates.bare.push(await rateOf(`http://127.0.0.1:${bare.addr.port}/login`));
}
const [oursRate, bareRate] = [median(rates.ours), median(rates.bare)];
console.log(
  `/login: ${oursRate.toFixed(0)} a second; bare: ${bareRate.toFixed(0)}; ratio ${(oursRate / bareRate).toFixed(2)}`,
);
await Promise.all([ours.shutdown(), bare.shutdown()]);
Deno.exit(0); // PGlite keeps threads

async function rateOf(url: string): Promise<number> {
  const end = performance.now() + ROUND_SECONDS * 1000;
  let count = 0;
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (performance.now() < end) {
      await (await fetch(url)).bytes();
      count++;
    }
  }));
  return count / ROUND_SECONDS;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** What /login consists of, written down without a framework. */
function BareDocument() {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="Foyer" />
        <title>Log in · Foyer</title>
        <link rel="icon" href="/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/styles.css" />
      </head>
      <body>
        <SiteHeader isLoggedIn={false} />
        <main id="main" class="narrow" tabIndex={-1}>
          <h1>Log in</h1>
          <form method="post" action="/login" novalidate>
            <FormMessage details={{}} labels={{}} />
            <Field name="email" label="Email address" type="email" inputmode="email" autocomplete="username" required />
            <Field name="password" label="Password" type="password" autocomplete="current-password" required />
            <button type="submit">Log in</button>
          </form>
          <ul class="other-ways">
            <li>
              <a href="/forgot-password">I forgot my password</a>
            </li>
            <li>
              <a href="/register">I have no account yet</a>
            </li>
          </ul>
        </main>
        <footer class="site-footer">
          <p>Foyer: accounts, profiles and uploads.</p>
        </footer>
      </body>
    </html>
  );
}
