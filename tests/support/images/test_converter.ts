import type { ConversionRequest } from "../../../lib/images/conversion_requests.ts";
import type { Converter } from "../../../lib/images/converter_connection.ts";
import { imageReceiver } from "../../../lib/images/converter_folder.ts";
import type { Message } from "../../../lib/images/messages.ts";
import { createWebpConverter, type WebpConverterOptions } from "../../../lib/images/webp_converter.ts";
import type { ImageConverter } from "../../../lib/services/services.ts";

const folder = Deno.makeTempDirSync({ prefix: "foyer-images-" });
const receive = imageReceiver(folder);
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

/** Creates a converter that converts in this process, by the rules of the service, which starts processes for it. */
export function createTestConverter(
  options: Partial<WebpConverterOptions> & Pick<WebpConverterOptions, "maxPixels">,
): ImageConverter {
  return createWebpConverter({
    receive,
    borrow: borrowInThisProcess,
    ...options,
  });
}

/** Borrows a converter that is no process of its own. */
export async function borrowInThisProcess(request: ConversionRequest): Promise<Converter> {
  const { convert } = await import("../../../lib/images/conversion.ts");
  const answers: AsyncIterator<Message> = convert(folder, request);
  return {
    receive: async () => (await answers.next()).value,
    giveBack: () => Promise.resolve(),
    close() {},
  };
}

type ToWebp = ImageConverter["toWebp"];

/** Returns a function that receives bytes and converts them, as the service does with an upload. */
export function toWebpOf({ receive, toWebp }: ImageConverter) {
  return async (bytes: Uint8Array<ArrayBuffer>, options: Parameters<ToWebp>[1]): ReturnType<ToWebp> => {
    using image = await receive(ReadableStream.from([bytes]));
    return await toWebp(image, options);
  };
}
