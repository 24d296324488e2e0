import { strictEqual } from "node:assert/strict";
import { waitFor } from "../wait_for.ts";

const ROOT = new URL("../../../", import.meta.url);
const DOCUMENT = "docs/integrating.md";
const SHIPPED = ["docs/nginx-behind.conf", "docs/Caddyfile-behind"];

/** One section of a document, with the ports of this test, in a folder of its own. */
export interface Guide extends AsyncDisposable {
  folder: string;
  /** The shell commands of the section, in order. */
  commands: string[];
  /** What the section says that programs print, in order. */
  outputs: string[];
  /** Runs commands. Returns what they print. Fails if they fail. */
  run(commands: string, env?: Record<string, string>): Promise<string>;
  /** Runs commands that do not end, until the guide is disposed of. */
  start(commands: string, env?: Record<string, string>): void;
}

/** Returns the variables that the document sets to start Foyer, with the ports of this test. */
export async function settingsOfGuide(ports: Record<string, number>): Promise<Record<string, string>> {
  const [command] = blocksOf(await sectionOf(DOCUMENT, "Before you start", ports), "sh");
  const settings = [...command.matchAll(/^([A-Z_]+)=("[^"]*"|\S+)|(?<= )([A-Z_]+)=("[^"]*"|\S+)/gm)];
  return Object.fromEntries(settings.map(([, a, b, c, d]) => [a ?? c, (b ?? d).replaceAll('"', "")]));
}

/** Saves the files of a section, and the proxies' files that Foyer ships, in a new folder. */
export async function openGuide(title: string, ports: Record<string, number>, document = DOCUMENT): Promise<Guide> {
  const section = await sectionOf(document, title, ports);
  const folder = await Deno.makeTempDir({ prefix: "foyer-guide-" });
  await Deno.mkdir(`${folder}/foyer/docs`, { recursive: true });
  for (const path of SHIPPED) {
    await Deno.writeTextFile(`${folder}/foyer/${path}`, withPorts(await Deno.readTextFile(new URL(path, ROOT)), ports));
  }
  for (const [, name, content] of section.matchAll(/Save this as `([^`]+)`[^`]*```\w+\n([\s\S]*?)```/g)) {
    await Deno.writeTextFile(`${folder}/${name}`, content);
  }
  const started: Deno.ChildProcess[] = [];
  // Deno finds packages in the project, as `npm install` would install them.
  const node = `${Deno.execPath()} run -A --config ${new URL("deno.json", ROOT).pathname} `;
  const shell = (commands: string, env: Record<string, string> = {}, output: "piped" | "null" = "piped") => {
    const adapted = commands.replaceAll("~/foyer", `${folder}/foyer`).replaceAll(/\bnode (?=\w)/g, node);
    // Every process of the group ends with the shell, and the shell with this process.
    const args = ["--pdeathsig=KILL", "bash", "-euo", "pipefail", "-c", adapted];
    return new Deno.Command("setpriv", {
      args,
      cwd: folder,
      env: { NO_COLOR: "1", ...env },
      detached: true,
      stdout: output,
      stderr: output,
    });
  };
  return {
    folder,
    commands: blocksOf(section, "sh"),
    outputs: blocksOf(section, "text"),
    async run(commands, env) {
      const { code, stdout, stderr } = await shell(commands, env).output();
      const output = new TextDecoder().decode(stdout);
      strictEqual(code, 0, `${commands}${output}${new TextDecoder().decode(stderr)}`);
      return output;
    },
    start(commands, env) {
      started.push(shell(commands, env, "null").spawn());
    },
    async [Symbol.asyncDispose]() {
      for (const { pid, status } of started) {
        try {
          Deno.kill(-pid, "SIGTERM");
        } catch { /* it has already ended */ }
        await status;
      }
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Waits until programs listen on these ports. */
export async function untilListening(...ports: number[]): Promise<void> {
  for (const port of ports) {
    await waitFor(`port ${port}`, async () => {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
      connection?.close();
      return connection !== null;
    });
  }
}

async function sectionOf(document: string, title: string, ports: Record<string, number>): Promise<string> {
  const text = await Deno.readTextFile(new URL(document, ROOT));
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${title}\n`));
  if (section === undefined) throw new Error(`${document} has no section: ${title}`);
  return withPorts(section, ports);
}

function blocksOf(section: string, language: string): string[] {
  return [...section.matchAll(new RegExp("```" + language + "\\n([\\s\\S]*?)```", "g"))].map(([, code]) => code);
}

/** Replaces the ports of the document. */
function withPorts(text: string, ports: Record<string, number>): string {
  return text.replaceAll(
    /(localhost:|127\.0\.0\.1:|listen\()(\d{4})\b/g,
    (whole, start, port) => port in ports ? `${start}${ports[port]}` : whole,
  );
}
