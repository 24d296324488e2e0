/** Copies a folder with the owners and permissions of its files. The parent folder of the copy must exist. */
export async function copyFolder(from: string, to: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("cp", { args: ["-a", from, to] }).output();
  if (!success) throw new Error(`Cannot copy ${from}: ${new TextDecoder().decode(stderr)}`);
}
