import { deepStrictEqual } from "node:assert/strict";
import { type AttributeEvent, HtmlValidate, Rule } from "html-validate";
import { type Page, readPage } from "../app/page_reader.ts";

/**
 * The attributes of HTML that pages may use, besides `aria-*` and `data-*`. Browsers ignore any other, such as the
 * names that components know from Preact: `defaultchecked`, `classname`. `property` is the attribute of Open Graph.
 */
const ATTRIBUTES = new Set(
  `accept action alt async autocapitalize autocomplete autofocus charset checked class cols colspan content crossorigin
  datetime decoding defer dir disabled download draggable enctype enterkeyhint for form formaction headers height hidden href hreflang
  id inputmode integrity label lang list loading max maxlength media method min minlength multiple name nonce novalidate
  open pattern placeholder popover popovertarget readonly rel required role rows rowspan sandbox scope selected size sizes
  span property spellcheck src srcdoc srcset start step style tabindex target title translate type value width`.split(
    /\s+/,
  ),
);

class KnownAttributes extends Rule {
  setup(): void {
    this.on("attr", ({ key, target }: AttributeEvent) => {
      if (ATTRIBUTES.has(key.toLowerCase()) || /^(aria|data)-/.test(key) || target.closest("svg") !== null) return;
      this.report(target, `HTML has no attribute ${key}`);
    });
  }
}

const pages = new HtmlValidate({
  extends: ["html-validate:recommended"],
  plugins: [{ name: "attributes", rules: { "known-attributes": KnownAttributes } }],
  rules: {
    "known-attributes": "error",
    "void-style": "off", // The renderer writes <input/>.
    // Browsers write hidden="".
    "attribute-boolean-style": "off",
    "attribute-empty-style": "off",
  },
});

/** Mail programs read few styles besides those of an element, and some of them only the attributes of HTML 4. */
const emails = new HtmlValidate({
  extends: ["html-validate:recommended"],
  rules: {
    "no-deprecated-attr": "off",
    "no-inline-style": "off",
    "prefer-tbody": "off", // The tables lay out.
    "presentation-role-style": "off", // Some mail programs know only role="presentation".
  },
});

/** Returns the problems of a page's HTML, one line for each: its place, and the rule that it breaks. */
export async function markupProblems(html: string): Promise<string[]> {
  return await problemsOf(pages, html);
}

/** Returns the problems of an email's HTML in the same way. */
export async function emailMarkupProblems(html: string): Promise<string[]> {
  return await problemsOf(emails, html);
}

async function problemsOf(validator: HtmlValidate, html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector, line, column }) => {
      const excerpt = html.split("\n")[line - 1].slice(column - 1, column + 79);
      return `${ruleId}: ${message} at ${selector}: ${excerpt}`;
    })
  );
}

/** Reads the page of a response. Its markup must be valid. */
export async function readValidPage(response: Response | Promise<Response>): Promise<Page> {
  const page = await readPage(response);
  deepStrictEqual(await markupProblems(page.html), [], page.title);
  return page;
}
