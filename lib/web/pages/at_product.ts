/**
 * Whether a proxy shows the page of an address in place of a page of its product. Then addresses and forms of the page
 * would lead to the product, so the page names ours, and leaves out what works only there.
 */
export function isShownAtProduct({ pathname }: URL): boolean {
  return pathname === "/auth/check";
}

/** The Content-Security-Policy of such a page: to the browser, we are another site. */
export function policyAtProduct(baseUrl: string): string {
  return [
    "default-src 'none'",
    ...["style", "img", "font", "manifest"].map((kind) => `${kind}-src ${baseUrl}`),
    `base-uri ${baseUrl}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
