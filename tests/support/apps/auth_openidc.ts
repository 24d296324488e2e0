import { AUTH_OPENIDC, ensure } from "../prerequisites.ts";
import { readDocument } from "../source/documents.ts";
import { type RunningProgram, startProgram } from "./programs.ts";

interface Options {
  issuer: string;
  port: number;
  clientSecret: string;
}

const MODULES = ["mpm_event", "authn_core", "authz_core", "authz_user", "dir", "mime", "include", "auth_openidc"];

/** Shows what mod_auth_openidc says about the person. */
const PAGE = `<!DOCTYPE html><link rel="icon" href="data:,">
<p id="name"><!--#echo var="OIDC_CLAIM_name" --></p><p id="email"><!--#echo var="OIDC_CLAIM_email" --></p>
<p id="token"><!--#echo var="OIDC_access_token" --></p>`;

/** Starts Apache with a page that only people with an account can open. Its redirect URI is below the page. */
export async function startApache(options: Options): Promise<RunningProgram> {
  await ensure(AUTH_OPENIDC);
  const folder = await Deno.makeTempDir({ prefix: "foyer-apache-" });
  await Deno.chmod(folder, 0o755);
  await Deno.mkdir(`${folder}/wiki`);
  await Deno.mkdir(`${folder}/staff`);
  await Deno.writeTextFile(`${folder}/staff/index.html`, "<!DOCTYPE html><h1>For staff</h1>");
  await Deno.writeTextFile(`${folder}/wiki/index.shtml`, PAGE);
  await Deno.writeTextFile(`${folder}/goodbye.html`, "<!DOCTYPE html><h1>Goodbye</h1>");
  await Deno.writeTextFile(`${folder}/apache.conf`, await configuration(folder, options));
  const args = ["-X", "-f", `${folder}/apache.conf`];
  const program = await startProgram({ path: "/usr/sbin/apache2", args, port: options.port });
  return {
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Apache's configuration with the lines of docs/connect/mod_auth_openidc.md. */
async function configuration(folder: string, { issuer, port, clientSecret }: Options): Promise<string> {
  const [, lines] = (await readDocument("docs/connect/mod_auth_openidc.md")).match(/```apache\n([\s\S]*?)```/)!;
  const documented = lines.replaceAll("https://foyer.example", issuer)
    .replaceAll("https://product.example.com", `http://localhost:${port}`)
    .replaceAll(/CLIENT_SECRET|ANOTHER_SECRET/g, clientSecret);
  return `
${MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}
ErrorLog ${folder}/error.log
User www-data
Group www-data
DocumentRoot ${folder}
TypesConfig /etc/mime.types

${documented}
OIDCInfoHook userinfo
<Location /wiki>
  Options +Includes
  DirectoryIndex index.shtml
  AddType text/html .shtml
  AddOutputFilter INCLUDES .shtml
</Location>
`;
}
