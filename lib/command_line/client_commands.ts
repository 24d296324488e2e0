import { z } from "zod";
import { createClientSecret, hashClientSecret } from "../clients/client_secret.ts";
import type { Registrations } from "../config/registered_client.ts";
import { type CheckedClients, clientWarnings } from "../config/client_settings.ts";
import type { Config } from "../config/config.ts";
import { type Command, command } from "./command.ts";
import { count, table } from "./text.ts";

const clientsCheck = command({
  name: "clients check",
  summary: "Check a file of clients, as the start does",
  details: "Ends with 1 if the file would stop the start. A relative path starts at the folder of the project.",
  arguments: { file: "the file, such as the one that CLIENTS_FILE names" },
  besideService: "without settings",
  input: z.object({ file: z.string().min(1) }),
  async run({ config }, { file }) {
    const { registrations, problems } = await readClients(file, config);
    const warnings = clientWarnings({ ...config, registrations });
    const { clients, resources } = registrations;
    const result = problems.length > 0
      ? ["The file is invalid:", ...problems.map((problem) => `- ${problem}`)]
      : [`The file is valid: ${count(clients.size, "client")}, ${count(resources.size, "resource")}.`];
    return {
      text: [...warnings, ...result].join("\n"),
      value: { clients: [...clients.keys()], resources: [...resources.keys()], problems, warnings },
      hasFailed: problems.length > 0,
    };
  },
});

const clientsSecret = command({
  name: "clients secret",
  summary: "Make a secret for a client, and its hash for the file",
  details: "Give the secret to the client. It is stored nowhere. The hash belongs into client_secret_hashes.",
  besideService: "without settings",
  input: z.object({}),
  run() {
    const secret = createClientSecret();
    const hash = `sha256:${hashClientSecret(secret)}`;
    return Promise.resolve({ text: `secret  ${secret}\nhash    ${hash}`, value: { secret, hash } });
  },
});

const clientsList = command({
  name: "clients list",
  summary: "List the clients and resources in CLIENTS_FILE",
  besideService: "without settings",
  input: z.object({}),
  async run({ config }) {
    if (config.clientsFile === undefined) {
      return { text: "CLIENTS_FILE is not set: there are no clients.", value: { clients: [], resources: [] } };
    }
    const { registrations, problems } = await readClients(config.clientsFile, config);
    if (problems.length > 0) throw new Error(`CLIENTS_FILE is invalid:\n- ${problems.join("\n- ")}`);
    return { text: listText(registrations), value: listValue(registrations) };
  },
});

function listText({ clients, resources }: Registrations): string {
  const clientRows = [...clients.values()].map((client) => [
    client.id,
    client.name,
    [...client.isFirstParty ? ["first-party"] : [], client.isPublic ? "public" : "confidential"].join(
      " ",
    ),
    client.scopes.join(" "),
    client.redirectUris.join(" "),
  ]);
  const resourceRows = [...resources.values()].map((
    { uri, name, scopes },
  ) => [uri, name, [...scopes.keys()].join(" ")]);
  return [
    table(["CLIENT", "NAME", "KIND", "SCOPES", "REDIRECT URIS"], clientRows),
    ...resources.size > 0 ? [table(["RESOURCE", "NAME", "SCOPES"], resourceRows)] : [],
  ].join("\n\n");
}

/** Without the hashes of secrets, which say nothing to anyone. */
function listValue({ clients, resources }: Registrations) {
  return {
    clients: [...clients.values()].map(({ secretHashes, ...client }) => ({ ...client, secrets: secretHashes.length })),
    resources: [...resources.values()].map(({ scopes, ...resource }) => ({ ...resource, scopes: [...scopes.keys()] })),
  };
}

/** What checks the file is loaded only here: services without clients do without it. */
async function readClients(file: string, config: Config): Promise<CheckedClients> {
  const { readClientsFile } = await import("../clients/load_clients.ts");
  return (await readClientsFile(file))(config);
}

/** What operators do with the apps that sign people in. */
export const CLIENT_COMMANDS: Command[] = [clientsCheck, clientsSecret, clientsList];
