import { basename } from "node:path";

const FILLER = "filler";

/** A separate disk that is mounted on a folder until it is disposed of. */
export interface SmallDisk extends AsyncDisposable {
  /** Fills the disk to the last byte, or until `leftBytes` are left. */
  fill(leftBytes?: number): Promise<void>;
  /** Frees the space that `fill` took. */
  free(): Promise<void>;
  /** Makes the disk read-only or writable. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
}

/** A disk that the system makes read-only after an error. It is mounted until it is disposed of. */
export interface FragileDisk extends AsyncDisposable {
  /** Writes cached changes to the disk. */
  flush(): Promise<void>;
  /** Refuses all writes from now on, even to open files. */
  fail(): Promise<void>;
  /** Repairs the disk. No file may be open. */
  repair(): Promise<void>;
}

type Mount = (folder: string, sizeMebibytes: number) => Promise<AsyncDisposable>;

/** Whether disks can be mounted here. In some containers not even root can. Prints the reason if not. */
export async function mayMount(mount: Mount = mountSmallDisk): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
  const problem = await mount(`${folder}/disk`, 4).then((disk) => disk[Symbol.asyncDispose](), String);
  await Deno.remove(folder, { recursive: true });
  if (problem === undefined) return true;
  console.error(`Skipped because disks cannot be mounted here: the tests of full and read-only disks. ${problem}`);
  return false;
}

/** Mounts an empty disk on a folder. Creates the folder if it does not exist. */
export async function mountSmallDisk(folder: string, sizeMebibytes: number): Promise<SmallDisk> {
  await Deno.mkdir(folder, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `size=${sizeMebibytes}m`, basename(folder), folder]);
  const filler = `${folder}/${FILLER}`;
  return {
    async fill(leftBytes = 0) {
      using file = await Deno.open(filler, { create: true, append: true });
      for (let chunk = new Uint8Array(64 * 1024); chunk.length > 0;) {
        await file.write(chunk).catch((error) => {
          if (!String(error).includes("os error 28")) throw error;
          chunk = chunk.subarray(0, Math.floor(chunk.length / 2));
        });
      }
      if (leftBytes > 0) await file.truncate((await file.stat()).size - leftBytes);
    },
    free: () => Deno.remove(filler),
    setReadOnly: (isReadOnly) => run("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, folder]),
    [Symbol.asyncDispose]: () => run("umount", ["--lazy", folder]),
  };
}

/**
 * Mounts an empty disk that is stored in a file beside the folder, which it creates. A small disk cannot fail this way:
 * the system refuses to make a disk read-only while files on it are open for writing.
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
  // Some systems allow mounting disks, but not triggering errors.
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
