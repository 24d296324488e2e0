/** Makes the icons in static/ from the logo, static/mark.svg. */
import sharp from "sharp";

const STATIC = new URL("../static/", import.meta.url);
const logo = await Deno.readTextFile(new URL("mark.svg", STATIC));
/** Fills the square: phones round the corners of icons themselves. */
const square = logo.replace(' rx="8"', "");

await write("icon-192.png", await png(logo, 192));
await write("icon-512.png", await png(logo, 512));
await write("apple-touch-icon.png", await png(square, 180));
await write("favicon.ico", ico(await png(logo, 32)));

function png(svg: string, size: number): Promise<Uint8Array> {
  const density = 72 * size / 32; // The logo is 32 pixels wide at 72 pixels per inch.
  return sharp(new TextEncoder().encode(svg), { density }).resize(size).png({ palette: true }).toBuffer();
}

/** An icon file that contains one PNG of 32 x 32 pixels. Source: the ICO format, ICONDIR and ICONDIRENTRY. */
function ico(image: Uint8Array): Uint8Array {
  const header = new DataView(new ArrayBuffer(22));
  header.setUint16(2, 1, true); // an icon
  header.setUint16(4, 1, true); // one image
  header.setUint8(6, 32);
  header.setUint8(7, 32);
  header.setUint16(10, 1, true); // color planes
  header.setUint16(12, 32, true); // bits per pixel
  header.setUint32(14, image.length, true);
  header.setUint32(18, header.byteLength, true); // where the image starts
  return new Uint8Array([...new Uint8Array(header.buffer), ...image]);
}

async function write(name: string, content: Uint8Array): Promise<void> {
  await Deno.writeFile(new URL(name, STATIC), content);
  console.log(`static/${name}: ${content.length} bytes`);
}
