/** The name of the product, as pages and emails show it. */
export const PRODUCT = "Foyer";
