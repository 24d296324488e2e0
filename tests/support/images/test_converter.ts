import type { Converter } from "../../../lib/images/converter_connection.ts";
import { createWebpConverter, type WebpConverterOptions } from "../../../lib/images/webp_converter.ts";
import type { ImageConverter } from "../../../lib/services.ts";

/** Creates a converter that converts in this process, by the rules of the service, which starts processes for it. */
export function createTestConverter(
  options: Partial<WebpConverterOptions> & Pick<WebpConverterOptions, "maxPixels">,
): ImageConverter {
  return createWebpConverter({ open: openInThisProcess, ...options });
}

/** Opens a converter that is no process of its own. */
export async function openInThisProcess(): Promise<Converter> {
  const { createConversion } = await import("../../../lib/images/conversion.ts");
  return { exchange: createConversion(), giveBack: () => Promise.resolve(), close() {} };
}
