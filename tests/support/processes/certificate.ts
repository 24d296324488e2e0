import { ensure, OPENSSL } from "../prerequisites.ts";

/** Creates a certificate for these hosts, which signs itself, and its key. Returns the paths of both in the folder. */
export async function createCertificate(
  folder: string,
  hosts: string[],
): Promise<[certificatePath: string, keyPath: string]> {
  const paths: [string, string] = [`${folder}/certificate.pem`, `${folder}/key.pem`];
  const { success, stderr } = await new Deno.Command(await ensure(OPENSSL), {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
      ...["-subj", "/CN=localhost", "-addext", `subjectAltName=${hosts.map((host) => `DNS:${host}`)}`],
      ...["-addext", "basicConstraints=critical,CA:FALSE", "-out", paths[0], "-keyout", paths[1]],
    ],
  }).output();
  if (!success) throw new Error(`Cannot create a certificate: ${new TextDecoder().decode(stderr)}`);
  return paths;
}
