import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { handlersUnder } from "./support/api/route_handlers.ts";
import { pageRuleProblems } from "./support/source/page_rules.ts";
import { sources } from "./support/source/sources.ts";

Deno.test("pages get their data from typed handlers, and nothing asserts that there is a session", async () => {
  const root = new URL("../", import.meta.url);
  const problems: string[] = [];
  let count = 0;
  for (const folder of ["routes/", "lib/web/"]) {
    for await (const [path, source] of sources(new URL(folder, root))) {
      problems.push(...pageRuleProblems(path.slice(root.pathname.length), source));
      count++;
    }
  }
  ok(count > 100, `only ${count} files were found`);
  deepStrictEqual(problems, []);
});

Deno.test("every page says who may use it", async () => {
  const pages = (await handlersUnder("routes")).filter(({ entry }) => entry === undefined);
  ok(pages.length > 50, `only ${pages.length} handlers of pages were found`);
  deepStrictEqual(pages.filter(({ who }) => who === undefined).map(({ key }) => key), []);
});

Deno.test("only admins may use the pages of administration", async () => {
  const pages = await handlersUnder("routes/admin");
  deepStrictEqual(pages.filter(({ who }) => who !== "admin").map(({ key }) => key), []);
});

Deno.test("the check of pages finds each forbidden form, and accepts the allowed ones", () => {
  const page = (component: string) =>
    `export const handler = 1; export default define.page<typeof handler>(${component})`;
  const cases: [path: string, source: string, count: number][] = [
    ["lib/web/a.ts", "const { user } = ctx.state.session!;", 1],
    ["lib/web/a.ts", "const { user } = (await currentSession(ctx))!;", 1],
    ["lib/web/a.ts", "f(currentSession(ctx)!);", 1],
    ["lib/web/a.ts", "session!.user.id;", 1],
    ["lib/web/a.ts", "f(session.extended!);", 1],
    ["lib/web/a.ts", "f(session?.user.id, list[0]!, !session);", 0],
    ["routes/a.tsx", page("function A() {}"), 0],
    ["routes/a.tsx", page("async function A() {}"), 1],
    ["routes/a.tsx", page("async () => {}"), 1],
    ["routes/_layout.tsx", "export default define.layout(async function A() {})", 1],
    ["routes/a.tsx", "export default define.page(function A() {})", 1],
    ["routes/_app.tsx", "export default define.page(function A() {})", 0],
    ["routes/a.tsx", "await ctx.render(content);", 1],
    ["lib/web/pages/page_viewer.ts", "await ctx.render(content);", 0],
    ["routes/a.tsx", "try { f(); } catch { g(); }", 1],
    ["lib/web/pages/form.ts", "try { f(); } catch { g(); }", 0],
  ];
  for (const [path, source, count] of cases) {
    const problems = pageRuleProblems(path, source);
    strictEqual(problems.length, count, `${path}: ${source}\n${problems.join("\n")}`);
  }
});

Deno.test("names and addresses are isolated by one component and one function", async () => {
  const root = new URL("../", import.meta.url);
  const found: string[] = [];
  for (const folder of ["routes/", "islands/", "lib/"]) {
    for await (const [path, source] of sources(new URL(folder, root))) {
      if (/<bdi|"bdi"|\\u2068|\u2068/i.test(source)) found.push(path.slice(root.pathname.length));
    }
  }
  deepStrictEqual(found.sort(), ["lib/texts/isolation.ts", "lib/ui/Isolated.tsx"]);
});
