import { App } from "fresh";
import { Builder } from "fresh/dev";

/** Makes a folder that lasts as long as the tests of a file: routes are loaded when they are asked for. */
export async function makeProjectDir(): Promise<string> {
  const root = await Deno.makeTempDir();
  addEventListener("unload", () => Deno.removeSync(root, { recursive: true }));
  // Fresh's builder wants to know how JSX is compiled.
  const compilerOptions = { jsx: "react-jsx", jsxImportSource: "preact" };
  await Deno.writeTextFile(`${root}/deno.json`, JSON.stringify({ compilerOptions }));
  return root;
}

/**
 * An application with the file routes of a temporary project.
 *
 * @param files Source by path; a routes file without source answers with its own path.
 */
export async function appOf(files: Record<string, string>): Promise<App<unknown>> {
  const root = await makeProjectDir();
  for (const [path, source] of Object.entries(files)) {
    const folder = `${root}/${path}`.replace(/\/[^/]+$/, "");
    await Deno.mkdir(folder, { recursive: true });
    const echo = `export const handler = (ctx) => Response.json([${JSON.stringify(path)}, ctx.params, ctx.route]);`;
    await Deno.writeTextFile(`${root}/${path}`, source || echo);
  }
  const apply = await new Builder({ root }).build({ snapshot: "memory" });
  const app = new App().fsRoutes();
  apply(app);
  return app;
}
