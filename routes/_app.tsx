import { asset } from "fresh/runtime";
import { define } from "../lib/http/state.ts";

export default define.page(function AppWrapper({ Component }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Foyer</title>
        <link rel="icon" href={asset("/mark.svg")} type="image/svg+xml" />
        <link rel="stylesheet" href={asset("/styles.css")} />
      </head>
      <body>
        <header class="site-header">
          <a class="brand" href="/">
            <img src={asset("/mark.svg")} alt="" width="28" height="28" />
            Foyer
          </a>
        </header>
        <Component />
      </body>
    </html>
  );
});
