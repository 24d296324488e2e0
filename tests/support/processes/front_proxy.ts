import { freePort } from "./free_port.ts";
import { delay } from "../delay.ts";
import { PATIENCE_MS } from "../wait_for.ts";
import { ensure, NGINX } from "../prerequisites.ts";
import { createCertificate } from "./certificate.ts";

/** The names in the shipped files. */
const FOYER = "foyer.example";
const WIKI = "wiki.foyer.example";
/** A cache that is as eager as one can be configured without ignoring what responses say. */
const CACHE = `
    proxy_cache files;
    proxy_cache_key $request_uri;
    proxy_cache_valid any 10m;
    proxy_cache_use_stale error timeout updating http_500 http_503;
    add_header X-Cache $upstream_cache_status always;`;

/** The ports of the proxy. They are chosen before it starts, because the apps need to know their public origin. */
export interface ProxyPorts {
  https: number;
  http: number;
}

/** nginx with the project's own configuration, in front of two instances of the app. */
export interface FrontProxy extends AsyncDisposable {
  url: string;
  /** The certificate that clients have to trust. */
  certificate: string;
  /** Returns everything logged so far. */
  log(): Promise<string>;
}

/** Chooses two free ports. */
export function proxyPorts(): ProxyPorts {
  return { https: freePort(), http: freePort() };
}

/** Returns the public origin of a host behind a proxy with these ports. */
export function originOf({ https }: ProxyPorts, host = "localhost"): string {
  return `https://${host}:${https}`;
}

/** What the proxy serves. */
export interface ProxyOptions {
  /** The host name of the app. */
  host?: string;
  /**
   * A product behind the app, with its host name. Adds docs/nginx-behind.conf. Groups close it to all others, but for
   * /choir/.
   */
  product?: { url: string; host: string; groups?: string };
  /** Caches files in this folder, everything that no header forbids. The shipped file does not. */
  cacheFolder?: string;
}

/**
 * Starts nginx with docs/nginx.conf, replacing only addresses and paths. Disposing stops it.
 *
 * @param folder for the certificate, logs and temporary files.
 * @param instances the URLs of the two apps.
 */
export async function startFrontProxy(
  folder: string,
  ports: ProxyPorts,
  instances: string[],
  { host = "localhost", product, cacheFolder }: ProxyOptions = {},
): Promise<FrontProxy> {
  const program = await ensure(NGINX);
  const [certificatePath, keyPath] = await createCertificate(
    folder,
    product ? ["localhost", host, product.host] : [host],
  );
  const [first, second] = instances.map(addressOf);
  const adapt = (name: string, host: string, [shippedHost, ...pairs]: [string, ...[string, string][]]) =>
    adaptFile(name, [
      ...pairs,
      ["listen 80;", `listen 127.0.0.1:${ports.http};`],
      ["listen 443 ssl", `listen 127.0.0.1:${ports.https} ssl`],
      ["    listen [::]:80;\n", ""],
      ["    listen [::]:443 ssl http2;\n", ""],
      [`https://${shippedHost}$request_uri`, `${originOf(ports, host)}$request_uri`],
      [`server_name ${shippedHost}`, `server_name ${host}`],
      ["/etc/ssl/foyer/fullchain.pem", certificatePath],
      ["/etc/ssl/foyer/privkey.pem", keyPath],
      ["/var/log/nginx/", `${folder}/`],
    ]);
  const cache: [string, string][] = cacheFolder === undefined ? [] : [
    ["upstream foyer {", `proxy_cache_path ${cacheFolder} keys_zone=files:1m;\nupstream foyer {`],
    ["location /files/ {", `location /files/ { ${CACHE}`],
  ];
  const instanceAddresses: [string, string][] = [["127.0.0.1:8001", first], ["127.0.0.1:8002", second]];
  const files = [await adapt("nginx.conf", host, [FOYER, ...instanceAddresses, ...cache])];
  if (product) {
    const pairs: [string, string][] = [["127.0.0.1:3000", addressOf(product.url)], [`Host ${FOYER}`, `Host ${host}`]];
    if (product.groups) pairs.push(...forGroups(product.groups));
    files.push(await adapt("nginx-behind.conf", product.host, [WIKI, ...pairs]));
  }
  await Deno.writeTextFile(`${folder}/foyer.conf`, files.join("\n"));
  await Deno.writeTextFile(`${folder}/main.conf`, mainConfiguration(folder));
  // nginx ends with this process, even if this process is killed.
  const child = new Deno.Command("setpriv", {
    args: ["--pdeathsig=TERM", program, "-p", folder, "-e", `${folder}/error.log`, "-c", `${folder}/main.conf`],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const log = async () => (await Promise.all(["error", "foyer_error", "foyer_access"].map(readLog))).join("");
  const readLog = (name: string) => Deno.readTextFile(`${folder}/${name}.log`).catch(() => "");
  const end = async () => {
    child.kill("SIGTERM");
    await child.status;
  };
  if (!await isListening(ports.https)) {
    await end().catch(() => {}); // it may already have ended
    throw new Error(`Cannot start nginx: ${await log()}`);
  }
  const certificate = await Deno.readTextFile(certificatePath);
  return { url: originOf(ports, host), certificate, log, [Symbol.asyncDispose]: end };
}

/** Closes the product to all but these groups, and /choir/ to all but that group. */
function forGroups(groups: string): [string, string][] {
  const choir = 'location /choir/ { set $wiki_groups "group=choir"; proxy_pass http://wiki; }';
  return [
    ['map "" $wiki_groups {\n    default "";', `map "" $wiki_groups {\n    default "group=${groups}";`],
    ["location /open/ {", `${choir}\nlocation /open/ {`],
  ];
}

/** Returns the nginx.conf that includes the shipped file in its http block. */
function mainConfiguration(folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`);
  return `daemon off;
    ${Deno.uid() === 0 ? "user root;" : ""}
    worker_processes 2;
    pid ${folder}/nginx.pid;
    events { worker_connections 4096; }
    http { ${temporary.join(" ")} include ${folder}/foyer.conf; }`;
}

/**
 * Replaces texts in a shipped file. Throws if one is missing: the test would then not use the shipped configuration.
 */
async function adaptFile(name: string, pairs: [string, string][]): Promise<string> {
  const shipped = await Deno.readTextFile(new URL(`../../../docs/${name}`, import.meta.url));
  return pairs.reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`docs/${name} does not contain: ${from}`);
    return result.replaceAll(from, to);
  }, shipped);
}

function addressOf(url: string): string {
  return new URL(url).host.replace("localhost", "127.0.0.1");
}

async function isListening(port: number): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const connection = await Deno.connect({ port }).catch(() => null);
    connection?.close();
    if (connection) return true;
    await delay(20);
  }
  return false;
}
