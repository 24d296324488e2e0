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

/** A disk that the system makes read-only when something is wrong with it; gone when disposed of. */
export interface FragileDisk extends AsyncDisposable {
  /** Brings to it what was written to its files. */
  flush(): Promise<void>;
  /** Takes no more writes, to files that are open neither. */
  fail(): Promise<void>;
  /** Is well again. No file may be open. */
  repair(): Promise<void>;
}

type Mount = (folder: string, sizeMebibytes: number) => Promise<AsyncDisposable>;

/** Whether disks may be mounted here: not everywhere root may. Says so where they may not. */
export async function mayMount(mount: Mount = mountSmallDisk): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
  const problem = await mount(`${folder}/disk`, 4).then((disk) => disk[Symbol.asyncDispose](), String);
  await Deno.remove(folder, { recursive: true });
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

/**
 * Mounts an empty disk that lies in a file beside the folder, which it makes. The one above cannot fail like this: a disk
 * on which files are open to be written to does not let itself be made read-only by hand.
 */
export async function mountFragileDisk(folder: string, sizeMebibytes: number): Promise<FragileDisk> {
  const image = `${folder}.image`;
  await Deno.mkdir(folder, { recursive: true });
  await run("truncate", [`--size=${sizeMebibytes}M`, image]);
  await run("mkfs.ext4", ["-q", "-F", image]);
  const mount = () => run("mount", ["-o", "loop,errors=remount-ro", image, folder]);
  await mount();
  const mounts = await Deno.readTextFile("/proc/mounts");
  const device = mounts.split("\n").find((line) => line.split(" ")[1] === folder)!.split(" ")[0];
  const trigger = `/sys/fs/ext4/${basename(device)}/trigger_fs_error`;
  const unmount = () => run("umount", ["--lazy", folder]);
  // Not permitted everywhere where disks may be mounted.
  await Deno.open(trigger, { write: true }).then((file) => file.close(), async (error) => {
    await unmount();
    throw error;
  });
  return {
    flush: () => run("sync", ["--file-system", folder]),
    fail: () => Deno.writeTextFile(trigger, "by a test"),
    repair: () => run("umount", [folder]).then(mount),
    [Symbol.asyncDispose]: unmount,
  };
}

async function run(command: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args }).output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed: ${new TextDecoder().decode(stderr)}`);
}
