import { strictEqual } from "node:assert/strict";
import { waitFor } from "../wait_for.ts";
import { readDocument } from "../source/documents.ts";

/** oidc-agent, with a folder of its own. It keeps the access of a person for commands. */
export interface OidcAgent extends AsyncDisposable {
  /** Signs in as the document says: `visit` opens an address in the browser, and ends when the person has agreed. */
  signIn(visit: (address: string) => Promise<void>): Promise<void>;
  /** Runs a command of the agent, and returns what it prints. */
  run(command: "oidc-add" | "oidc-gen" | "oidc-token", ...args: string[]): Promise<string>;
  /** Ends the agent, and starts it with what it has stored. */
  restart(): Promise<void>;
}

/** Starts the agent. @param port where it waits for the browser after a login. */
export async function startOidcAgent({ issuer, port }: { issuer: string; port: number }): Promise<OidcAgent> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-oidc-agent-" });
  await Deno.mkdir(`${folder}/.oidc-agent`);
  const env = { HOME: folder, OIDC_SOCK: `${folder}/agent.sock`, OIDC_ENCRYPTION_PW: "of the test" };
  const commandOf = (path: string, args: string[]) =>
    new Deno.Command(path, { args, env, stdin: "null", stdout: "piped", stderr: "piped" });
  let agent = await start();

  /** Without its password, the agent would ask for it to store each new refresh token. */
  async function start(): Promise<Deno.ChildProcess> {
    const args = ["--pdeathsig=KILL", "oidc-agent", "--console", "--pw-store", `--socket-path=${env.OIDC_SOCK}`];
    const child = new Deno.Command("setpriv", { args, env, stdin: "null", stdout: "null", stderr: "null" }).spawn();
    await waitFor("oidc-agent", async () => {
      const connection = await Deno.connect({ transport: "unix", path: env.OIDC_SOCK }).catch(() => null);
      connection?.close();
      return connection !== null;
    });
    return child;
  }

  async function end(): Promise<void> {
    agent.kill("SIGKILL");
    await agent.status;
  }

  return {
    async signIn(visit) {
      const [documented] = (await readDocument("docs/connect/oidc-agent.md")).match(/^oidc-gen (?:.*\\\n)*.*$/m)!;
      const command = documented.replace("https://foyer.example", issuer).replace(":4242", `:${port}`);
      const generator = commandOf("sh", ["-c", `exec ${command} --pw-env --no-url-call --prompt=none >/dev/null`])
        .spawn();
      const { promise: printed, resolve } = Promise.withResolvers<string>();
      void (async () => {
        let text = "";
        for await (const part of generator.stderr.pipeThrough(new TextDecoderStream())) {
          text += part;
          if (/^http\S+\n/m.test(text)) resolve(text);
        }
        resolve(text);
      })();
      const [address] = (await printed).match(/^http\S+$/m) ?? [];
      strictEqual(typeof address, "string", await printed);
      await visit(address!);
      strictEqual((await generator.status).code, 0);
    },
    async run(command, ...args) {
      const { code, stdout, stderr } = await commandOf(command, args).output();
      const [printed, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
      strictEqual(code, 0, errors);
      return printed;
    },
    async restart() {
      await end();
      await Deno.remove(env.OIDC_SOCK);
      agent = await start();
    },
    async [Symbol.asyncDispose]() {
      await end();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
