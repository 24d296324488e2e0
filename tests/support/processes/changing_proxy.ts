import { delay } from "../delay.ts";
import { ensure, NGINX } from "../prerequisites.ts";
import { createCertificate } from "./certificate.ts";

const START_TIMEOUT_MS = 60_000;

/** An nginx that changes headers. */
export type ChangingProxy = AsyncDisposable;

export interface ChangingProxyOptions {
  host: string;
  port: number;
  isTls: boolean;
  /** The port of the app, on this machine. */
  to: number;
  /** What to change, as directives of a location. */
  directives: string;
}

/**
 * Starts nginx with nothing but what the directives say.
 *
 * @param folder for its files.
 */
export async function startChangingProxy(
  folder: string,
  { host, port, isTls, to, directives }: ChangingProxyOptions,
): Promise<ChangingProxy> {
  const program = await ensure(NGINX);
  const tls = isTls ? await tlsDirectives(folder, host) : "";
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`);
  const hostHeader = directives.includes("proxy_set_header Host ") ? "" : "proxy_set_header Host $http_host;";
  await Deno.writeTextFile(
    `${folder}/changing.conf`,
    `daemon off; ${Deno.uid() === 0 ? "user root;" : ""} pid ${folder}/changing.pid; events {}
    http { ${temporary.join(" ")} access_log off;
      server { listen 127.0.0.1:${port}${isTls ? " ssl" : ""}; ${tls}
        location / { proxy_pass http://127.0.0.1:${to}; ${hostHeader} ${directives} } } }`,
  );
  // nginx ends with this process, even if this process is killed.
  const child = new Deno.Command("setpriv", {
    args: ["--pdeathsig=TERM", program, "-p", folder, "-e", `${folder}/error.log`, "-c", `${folder}/changing.conf`],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const end = async () => {
    child.kill("SIGTERM");
    await child.status;
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
    connection?.close();
    if (connection) return { [Symbol.asyncDispose]: end };
    await delay(20);
  }
  await end().catch(() => {}); // it may already have ended
  throw new Error(`Cannot start nginx: ${await Deno.readTextFile(`${folder}/error.log`)}`);
}

async function tlsDirectives(folder: string, host: string): Promise<string> {
  const [certificate, key] = await createCertificate(folder, [host]);
  return `ssl_certificate ${certificate}; ssl_certificate_key ${key};`;
}
