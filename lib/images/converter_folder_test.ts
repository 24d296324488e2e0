import { deepStrictEqual, rejects } from "node:assert/strict";
import { withFolder } from "../../tests/support/database/engines.ts";
import { putImage, readImage, removeImage } from "./converter_folder.ts";

const BYTES = Uint8Array.of(1, 2, 3);

Deno.test("an image is read as it was stored, until it is removed", () =>
  withFolder(async (folder) => {
    const name = await putImage(folder, BYTES);
    deepStrictEqual(await readImage(folder, name), BYTES);
    await removeImage(folder, name);
    await removeImage(folder, name);
    await rejects(readImage(folder, name), Deno.errors.NotFound);
  }));

Deno.test("a name that could lead out of the folder is refused", () =>
  withFolder(async (folder) => {
    await Deno.writeFile(`${folder}/file`, BYTES);
    for (const name of ["file", "../file", `../${"a".repeat(33)}`, ""]) {
      await rejects(readImage(folder, name), /is not a name/, name);
    }
  }));
