import { basename } from "node:path";

const FILLER = "filler";

/** A disk of its own, mounted on a folder; gone when disposed of. */
export interface SmallDisk extends AsyncDisposable {
  /** Leaves no byte free. */
  fill(): Promise<void>;
  /** Gives back what `fill` took. */
  free(): Promise<void>;
  /** Takes no more writes, or takes them again. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
}

/** Whether disks may be mounted here: not everywhere root may. Says so where they may not. */
export async function mayMount(): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
  const problem = await mountSmallDisk(folder, 1).then((disk) => disk[Symbol.asyncDispose](), String);
  await Deno.remove(folder);
  if (problem === undefined) return true;
  console.error(`Left out, as disks cannot be mounted here: the tests of a full or read-only one. ${problem}`);
  return false;
}

/** Mounts an empty disk on a folder, which it makes where it is missing. */
export async function mountSmallDisk(folder: string, sizeMebibytes: number): Promise<SmallDisk> {
  await Deno.mkdir(folder, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `size=${sizeMebibytes}m`, basename(folder), folder]);
  const filler = `${folder}/${FILLER}`;
  return {
    async fill() {
      using file = await Deno.open(filler, { create: true, append: true });
      for (let chunk = new Uint8Array(64 * 1024); chunk.length > 0;) {
        await file.write(chunk).catch((error) => {
          if (!String(error).includes("os error 28")) throw error;
          chunk = chunk.subarray(0, Math.floor(chunk.length / 2));
        });
      }
    },
    free: () => Deno.remove(filler),
    setReadOnly: (isReadOnly) => run("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, folder]),
    [Symbol.asyncDispose]: () => run("umount", ["--lazy", folder]),
  };
}

async function run(command: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args }).output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed: ${new TextDecoder().decode(stderr)}`);
}
