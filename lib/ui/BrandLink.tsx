import { asset } from "fresh/runtime";
import type { Brand } from "../brand/brand.ts";
import { Isolated } from "./Isolated.tsx";

/** The logo and the name of the product, which lead to its home page. */
export function BrandLink({ brand }: { brand: Pick<Brand, "name" | "homeUrl" | "logo"> }) {
  return (
    <a class="brand" href={brand.homeUrl} aria-current="false">
      <Logo logo={brand.logo} />
      <Isolated>{brand.name}</Isolated>
    </a>
  );
}

/** The logo in the mode of the page. Decorative: the name is always beside it. */
export function Logo({ logo }: Pick<Brand, "logo">) {
  if (logo === null) return <img src={asset("/mark.svg")} alt="" width="28" height="28" />;
  // Its address has a version of its own, so it needs no key of the build.
  const image = <img src={logo.light} alt="" width="28" height="28" data-fresh-disable-lock />;
  if (logo.dark === undefined) return image;
  return (
    <picture>
      <source media="(prefers-color-scheme: dark)" srcset={logo.dark} data-fresh-disable-lock />
      {image}
    </picture>
  );
}
