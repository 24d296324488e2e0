import { App } from "fresh";
import { Builder } from "fresh/dev";

/** Creates a folder and deletes it when the test file ends. Lazy routes need it until then. */
export async function makeProjectDir(): Promise<string> {
  const root = await Deno.makeTempDir();
  addEventListener("unload", () => Deno.removeSync(root, { recursive: true }));
  // Fresh's builder requires compiler options for JSX.
  const compilerOptions = { jsx: "react-jsx", jsxImportSource: "preact" };
  await Deno.writeTextFile(`${root}/deno.json`, JSON.stringify({ compilerOptions }));
  return root;
}

/**
 * Creates an application with the file routes of a temporary project.
 *
 * @param files Sources by path. A route with an empty source responds with its path, parameters and pattern.
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
