import { socketIn } from "../images/converter_folder.ts";

/**
 * Resolves when the launcher has ended, also if it was killed: the system then closes this connection to it. It asks
 * for no converter, so it takes none.
 *
 * @param folder the folder that the service shares with the launcher.
 */
export async function launcherEnd(folder: string): Promise<void> {
  using connection = await Deno.connect({ transport: "unix", path: socketIn(folder) });
  await connection.read(new Uint8Array(1)).catch(() => {});
}
