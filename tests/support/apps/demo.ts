import { createClientSecret, hashClientSecret } from "../../../lib/clients/client_secret.ts";
import { registrationOf, startWebProduct } from "./web_product.ts";

/** `deno task app`: starts Foyer, and beside it a product that signs people in with it. */
const issuer = Deno.env.get("BASE_URL") ?? `http://localhost:${Deno.env.get("PORT") ?? 8000}`;
const client = { clientId: "demo", clientSecret: createClientSecret() };
const product = startWebProduct({ issuer, ...client, port: 3000 });

const file = await Deno.makeTempFile({ prefix: "foyer-clients-", suffix: ".json" });
await Deno.writeTextFile(
  file,
  JSON.stringify({
    clients: [{
      client_id: client.clientId,
      client_name: "Demo product",
      client_secret_hashes: [`sha256:${hashClientSecret(client.clientSecret)}`],
      ...registrationOf(product.url),
    }],
  }),
);
console.log(`The demo product is at ${product.url}. Log in there once Foyer is running at ${issuer}.\n`);
const foyer = new Deno.Command(Deno.execPath(), { args: ["task", "start"], env: { CLIENTS_FILE: file } }).spawn();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    try {
      foyer.kill(signal);
    } catch { /* It has just ended. */ }
  });
}
const { code } = await foyer.status;
await Deno.remove(file);
await product[Symbol.asyncDispose]();
Deno.exit(code);
