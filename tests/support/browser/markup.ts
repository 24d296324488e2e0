import { HtmlValidate } from "html-validate";

const validator = new HtmlValidate({
  extends: ["html-validate:recommended"],
  rules: {
    "void-style": "off", // The renderer writes <input/>.
    // Browsers write hidden="".
    "attribute-boolean-style": "off",
    "attribute-empty-style": "off",
  },
});

/** Returns the problems of a page's HTML, one line for each: its place, and the rule that it breaks. */
export async function markupProblems(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector, line, column }) => {
      const excerpt = html.split("\n")[line - 1].slice(column - 1, column + 79);
      return `${ruleId}: ${message} at ${selector}: ${excerpt}`;
    })
  );
}
