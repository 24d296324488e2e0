import { parseHTML } from "linkedom";

/** Elements within a sentence: no space stands where they begin or end. */
const INLINE = ["A", "ABBR", "BDI", "CODE", "EM", "TIME"];
const UNREAD = ["SCRIPT", "STYLE", "SVG", "TEMPLATE"];

/** A field of a form, with what is said about it. */
export interface PageField {
  /** The value that it has at first; that of the chosen option of a list. */
  value: string;
  type: string;
  error: string | null;
  hint: string | null;
  isChecked: boolean;
  isRequired: boolean;
  /** Other attributes, such as autocomplete; null without one. */
  attribute(name: string): string | null;
}

/** Something to press: a link or a button. A link has an address, a button the field that it sends. */
export interface PageAction {
  /** What is read out: its label or its text. */
  text: string;
  href: string | null;
  name: string | null;
  value: string | null;
}

/** A form, and what it sends without being filled in. */
export interface PageForm {
  action: string;
  hidden: Record<string, string>;
  /** The names of its fields and buttons. */
  names: string[];
}

/** Reads the page of a response. */
export async function readPage(response: Response | Promise<Response>): Promise<Page> {
  return new Page(await (await response).text());
}

/** A page as a person meets it. What is asked for by name must be there. */
export class Page {
  readonly #document: Document;

  constructor(readonly html: string) {
    this.#document = parseHTML(html).document;
  }

  /** The title of the window. */
  get title(): string {
    return textOf(this.find("title"));
  }

  get heading(): string {
    return textOf(this.find("h1"));
  }

  /** The sentence below the heading. */
  get lead(): string | null {
    return this.textAt("p.lead");
  }

  get language(): string | null {
    return this.#document.documentElement.getAttribute("lang");
  }

  /** What is said about the form before. */
  get notice(): string | null {
    return this.textAt('[role="status"] p');
  }

  /** What is wrong with this form, or above the errors of its fields. */
  get message(): string | null {
    return this.textAt('[role="alert"] p');
  }

  /** The errors above the form, each with the field that it leads to. */
  get summary(): { text: string; href: string | null }[] {
    return this.findAll('[role="alert"] li a').map((link) => ({
      text: textOf(link),
      href: link.getAttribute("href"),
    }));
  }

  /** The text between the header and the footer. */
  get text(): string {
    return textOf(this.find("main"));
  }

  get links(): PageAction[] {
    return this.findAll("a[href]").map(actionOf);
  }

  /** Whether a link leads to this address. */
  leadsTo(href: string): boolean {
    return this.links.some((link) => link.href === href);
  }

  get buttons(): PageAction[] {
    return this.findAll("main button").map(actionOf);
  }

  /** The ids of what asks for the focus; the first gets it. */
  get focused(): (string | null)[] {
    return this.findAll("[autofocus]").map((element) => element.getAttribute("id"));
  }

  /** The names of the fields that a person can see. */
  get fieldNames(): string[] {
    const fields = this.findAll('main :is(input:not([type="hidden"]), select, textarea)');
    return fields.map((field) => field.getAttribute("name")!);
  }

  /** The field that a person can see, or the hidden one with this name. */
  field(name: string): PageField {
    const fields = this.findAll(`main :is(input, select, textarea)[name="${name}"]`);
    const field = fields.find((each) => each.getAttribute("type") !== "hidden") ?? fields[0];
    if (field === undefined) throw new Error(`No field ${name}, but ${this.fieldNames.join(", ")}`);
    const chosen = field.querySelector("option[selected]") ?? field;
    const attribute = (each: string) => field.getAttribute(each);
    return {
      value: chosen.getAttribute("value") ?? chosen.textContent ?? "",
      type: attribute("type") ?? field.tagName.toLowerCase(),
      error: this.textAt(`[id="${name}-error"]`),
      hint: this.textAt(`[id="${name}-hint"]`),
      isChecked: field.hasAttribute("checked"),
      isRequired: field.hasAttribute("required"),
      attribute,
    };
  }

  link(text: string): PageAction {
    return named(this.links, text);
  }

  button(text: string): PageAction {
    return named(this.buttons, text);
  }

  /** The form that is sent to an address, or the first form. */
  form(action?: string): PageForm {
    const forms = this.forms;
    const form = action === undefined ? forms[0] : forms.find((each) => each.action === action);
    if (form === undefined) throw new Error(`No form to ${action ?? "anywhere"}, but ${JSON.stringify(forms)}`);
    return form;
  }

  /** The first form with all of these fields, or buttons with these names. */
  formWith(names: string[]): PageForm {
    const form = this.forms.find((each) => names.every((name) => each.names.includes(name)));
    if (form === undefined) throw new Error(`No form with ${names.join(", ")}, but ${JSON.stringify(this.forms)}`);
    return form;
  }

  /** The forms between the header and the footer. */
  get forms(): PageForm[] {
    return this.findAll("main form").map((form) => ({
      action: form.getAttribute("action") ?? "",
      names: [...form.querySelectorAll("[name]")].map((each) => each.getAttribute("name")!),
      hidden: Object.fromEntries(
        [...form.querySelectorAll('input[type="hidden"]')].map((field) => [
          field.getAttribute("name")!,
          field.getAttribute("value") ?? "",
        ]),
      ),
    }));
  }

  /** The text of the first element, or null without one. */
  textAt(selector: string): string | null {
    const element = this.#document.querySelector(selector);
    return element && textOf(element);
  }

  /** The texts of all such elements. */
  textsAt(selector: string): string[] {
    return this.findAll(selector).map(textOf);
  }

  /** The pieces of text outside of certain elements, and the labels that have words besides. */
  textsOutside(selector: string): string[] {
    const elements = this.findAll("body *").filter((element) => element.closest(selector) === null);
    return elements.flatMap((element) => [
      ...[...element.childNodes].filter(({ nodeName }) => nodeName === "#text").map(({ textContent }) => textContent!),
      ...["aria-label", "alt", "title"].flatMap((name) =>
        element.getAttribute(name)?.match(/\p{Script=Arabic}.*/u) ?? []
      ),
    ]);
  }

  find(selector: string): Element {
    const element = this.#document.querySelector(selector);
    if (element === null) throw new Error(`No ${selector} in ${this.html}`);
    return element;
  }

  findAll(selector: string): Element[] {
    return [...this.#document.querySelectorAll(selector)];
  }
}

function actionOf(element: Element): PageAction {
  const text = element.getAttribute("aria-label") ?? textOf(element);
  const [href, name, value] = ["href", "name", "value"].map((each) => element.getAttribute(each));
  return { text, href, name, value };
}

function named(actions: PageAction[], text: string): PageAction {
  const action = actions.find((each) => each.text === text);
  if (action === undefined) throw new Error(`No “${text}”, but ${actions.map((each) => each.text).join(", ")}`);
  return action;
}

function textOf(node: Node): string {
  return readOut(node).replaceAll(/\s+/g, " ").trim();
}

function readOut(node: Node): string {
  if (node.nodeName === "#text") return node.textContent ?? "";
  const name = node.nodeName.toUpperCase();
  if (UNREAD.includes(name)) return " ";
  const text = [...node.childNodes].map(readOut).join("");
  return INLINE.includes(name) ? text : ` ${text} `;
}
