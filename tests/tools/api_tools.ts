/**
 * Runs a tool of others on the API document, which comes through standard input: `api_tools.ts orval FOLDER`. These
 * tools have a deno.json and a lock file of their own, because Deno downloads everything that a lock file names at the
 * first start of the service.
 */

const [tool, folder] = Deno.args;
const document = await new Response(Deno.stdin.readable).text();
await ({ "hey-api": generateWithHeyApi, orval: generateWithOrval, spectral: lintWithSpectral })[tool]!();
Deno.exit(); // a tool may leave a timer behind

async function generateWithHeyApi(): Promise<void> {
  const { createClient } = await import("@hey-api/openapi-ts");
  await createClient({
    input: JSON.parse(document),
    output: folder,
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    logs: { level: "silent", file: false },
  });
}

async function generateWithOrval(): Promise<void> {
  const { generate } = await import("orval");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/document.json`, document);
  const output = {
    target: `${folder}/foyer.ts`,
    client: "fetch" as const,
    schemas: { path: `${folder}/schemas`, type: "zod" as const },
    baseUrl: JSON.parse(document).servers[0].url,
  };
  const options = { logLevel: "warn", failOnWarnings: true, throwOnError: true } as const;
  await generate({ input: `${folder}/document.json`, output }, folder, options);
}

/** Prints the problems, one on each line. */
async function lintWithSpectral(): Promise<void> {
  const { default: spectral } = await import("@stoplight/spectral-core");
  const { oas } = await import("@stoplight/spectral-rulesets");
  const linter = new spectral.Spectral();
  const off = {
    // No address is known that belongs to every installation.
    "info-contact": "off",
    // The summary says enough.
    "operation-description": "off",
    // It allows scopes only for OAuth 2.0. Source of the opposite: OpenAPI 3.1, Security Requirement Object.
    "oas3-operation-security-defined": "off",
  } as const;
  // The packages declare the type of a ruleset differently.
  linter.setRuleset({ extends: [oas as never], rules: off });
  for (const { path, message } of await linter.run(document)) console.log(`${path.join("/")}: ${message}`);
}
