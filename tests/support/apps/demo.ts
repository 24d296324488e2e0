import { createClientSecret, hashClientSecret } from "../../../lib/clients/client_secret.ts";
import { openGuide } from "../processes/guide.ts";
import { registrationOf, startWebProduct } from "./web_product.ts";

/**
 * `deno task app`: starts Foyer, and beside it a product that signs people in with it, and the MCP server of
 * docs/mcp.md. The other programs of the guides can be run against it.
 */
const issuer = Deno.env.get("BASE_URL") ?? `http://localhost:${Deno.env.get("PORT") ?? 8000}`;
const client = { clientId: "demo", clientSecret: createClientSecret() };
await using product = startWebProduct({ issuer, ...client, port: 3000 });
await using programs = await openGuide("Before you start", {}, "docs/sign-in-with-foyer.md");
await using agents = await openGuide("A protected server", {}, "docs/mcp.md");
const registered = await Promise.all(
  [programs, agents].map(async ({ folder }) => JSON.parse(await Deno.readTextFile(`${folder}/clients.json`))),
);
const demo = {
  client_id: client.clientId,
  client_name: "Demo product",
  client_secret_hashes: [`sha256:${hashClientSecret(client.clientSecret)}`],
  ...registrationOf(product.url),
};
const file = `${programs.folder}/all.json`;
await Deno.writeTextFile(
  file,
  JSON.stringify({
    clients: [demo, ...registered.flatMap(({ clients }) => clients)],
    resources: registered.flatMap(({ resources = [] }) => resources),
  }),
);
agents.start(agents.commands[2]);
console.log(`The demo product is at ${product.url}. Log in there once Foyer is running at ${issuer}.`);
console.log(
  "The programs of docs/sign-in-with-foyer.md and docs/mcp.md work too: a command line, a service, an agent.",
);
console.log("The MCP server that the agent uses is at http://localhost:4000/mcp.\n");
const env = { CLIENTS_FILE: file, CLIENT_METADATA_DOCUMENTS: "on" };
const foyer = new Deno.Command(Deno.execPath(), { args: ["task", "start"], env }).spawn();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    try {
      foyer.kill(signal);
    } catch { /* It has just ended. */ }
  });
}
Deno.exitCode = (await foyer.status).code;
