/** Draws a text as a QR code, in SVG. Loads the package at the first call: most processes never need it. */
export async function qrCode(text: string): Promise<string> {
  const { renderSVG } = await import("uqr");
  return renderSVG(text, { border: 4 });
}
