/** Returns what a source file of `routes/` or `lib/web/` does against the rules for pages, as sentences. */
export function pageRuleProblems(path: string, source: string): string[] {
  const problems = Deno.lint.runPlugin(PLUGIN, path, source).map(({ message }) => `${path} ${message}`);
  const isPage = /^routes\/.*\.tsx$/.test(path) && source.includes("export default define.page");
  if (isPage && !/\/_app\.tsx$/.test(path) && !source.includes("export const handler")) {
    problems.push(`${path} has a page without a handler, so its header finds no person`);
  }
  return problems;
}

const PLUGIN: Deno.lint.Plugin = {
  name: "pages",
  rules: {
    pages: {
      create(ctx) {
        const { filename } = ctx;
        const isPageFile = filename.includes("routes/") && filename.endsWith(".tsx");
        return {
          TSNonNullExpression(node) {
            const text = ctx.sourceCode.getText(node.expression);
            if (/session/i.test(text)) ctx.report({ node, message: `asserts that ${text} is not null` });
          },
          CallExpression(node) {
            const callee = ctx.sourceCode.getText(node.callee);
            const [component] = node.arguments;
            const isAsync = component !== undefined && "async" in component && component.async;
            if (/^define\.(page|layout)$/.test(callee) && isAsync) {
              ctx.report({ node, message: "has an async component. Its data must come from the handler" });
            }
            if (callee === "ctx.render" && !filename.endsWith("page_viewer.ts")) {
              ctx.report({ node, message: "calls ctx.render, which finds no person for the header. Call renderPage" });
            }
          },
          TryStatement(node) {
            if (isPageFile) ctx.report({ node, message: "catches errors. Pages leave that to lib/web/pages" });
          },
        };
      },
    },
  },
};
