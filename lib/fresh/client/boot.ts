import { type ComponentType, Fragment, h, render, type VNode } from "preact";
import type { element as untypedElement } from "../element.ts";
import { deserialize, Slot } from "./deserialize.ts";

type Props = Record<string, unknown>;

/** Not imported, because the bundler would make a script for this line, which islands and the runtime share. */
const element = h as unknown as typeof untypedElement;

/**
 * Hydrates the islands of a page.
 *
 * @param islands Island components, in the order of the numbers in the comments.
 * @param json Serialized props of all island instances.
 */
export function boot(islands: ComponentType<Props>[], json: string): void {
  const allProps = deserialize(json) as Props[];
  /** First node of each slot by slot id. */
  const slots = new Map<number, Node | null>();
  const templates = document.querySelectorAll<HTMLTemplateElement>("template[id^=frsh-slot-]");
  const contents = Array.from(templates, ({ id, content }) => {
    slots.set(Number(id.split("-")[2]), content.firstChild);
    return content;
  });
  const comments = [document.body, ...contents].flatMap(commentsIn);
  for (const comment of comments) {
    const id = /^frsh:slot:(\d+)/.exec(comment.data)?.[1];
    if (id) slots.set(Number(id), comment.nextSibling);
  }

  function toIsland(start: Comment): VNode {
    const [, , island, instance] = start.data.split(":").map(Number);
    const props = allProps[instance];
    for (const [name, value] of Object.entries(props)) {
      if (value instanceof Slot) props[name] = element(Fragment, null, toContent(slots.get(value.id) ?? null));
    }
    return element(islands[island], props);
  }

  /** Converts a node and its following siblings to vnodes, up to the end of the slot. */
  function toContent(first: Node | null): (VNode | string)[] {
    const content: (VNode | string)[] = [];
    for (let node = first; node; node = node.nextSibling) {
      if (node instanceof Comment) {
        if (node.data === "/frsh:slot") break;
        if (!node.data.startsWith("frsh:island")) continue;
        content.push(toIsland(node));
        node = endOf(node) ?? node;
      } else if (node instanceof Element) {
        content.push(element(node.localName, attributesOf(node), toContent(node.firstChild)));
      } else {
        content.push((node as Text).data);
      }
    }
    return content;
  }

  // Read all content before rendering anything, because rendering moves nodes.
  const roots = outermost(comments.filter((comment) => document.body.contains(comment)));
  const vnodes = roots.map(toIsland);
  roots.forEach((start, i) => {
    const container = containerOf(start, endOf(start)!);
    // Render each island in its own task, so that an error in one does not stop the others.
    setTimeout(() => render(vnodes[i], container));
  });
}

function commentsIn(root: Node): Comment[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const comments: Comment[] = [];
  while (walker.nextNode()) comments.push(walker.currentNode as Comment);
  return comments;
}

/** Returns the comment that closes an island. Null if the HTML parser moved it to another parent. */
function endOf(start: Comment): Comment | null {
  let depth = 0;
  for (let node: Node | null = start; node; node = node.nextSibling) {
    if (!(node instanceof Comment)) continue;
    if (node.data.startsWith("frsh:island")) depth++;
    if (node.data === "/frsh:island" && --depth === 0) return node;
  }
  console.error("HTML parser split an island: check the nesting of the elements around it", start.parentNode);
  return null;
}

function outermost(comments: Comment[]): Comment[] {
  let end: Comment | null = null;
  return comments.filter((comment) => {
    const isInside = end !== null;
    if (comment === end) end = null;
    if (!isInside && comment.data.startsWith("frsh:island")) end = endOf(comment);
    return !isInside && end !== null;
  });
}

function attributesOf(source: Element): Props {
  // The element keeps its inline event handlers. Preact would try to call their text.
  const attributes = [...source.attributes].filter(({ name }) => !name.startsWith("on"));
  const isFlag = (name: string) => typeof source[name as keyof Element] === "boolean";
  return Object.fromEntries(attributes.map(({ name, value }) => [name, isFlag(name) ? value !== "false" : value]));
}

/** Returns a parent for Preact that contains only the nodes between two comments. */
function containerOf(start: Comment, end: Comment): Element {
  const parent = start.parentNode!;
  const childNodes: ChildNode[] = [];
  for (let node = start.nextSibling; node && node !== end; node = node.nextSibling) childNodes.push(node);
  const insertBefore = (node: Node, before: Node | null) => parent.insertBefore(node, before ?? end);
  return {
    nodeType: 1,
    parentNode: parent,
    namespaceURI: (parent as Element).namespaceURI,
    firstChild: childNodes[0] ?? null,
    childNodes,
    insertBefore,
    appendChild: (node: Node) => insertBefore(node, null),
    removeChild: (node: Node) => parent.removeChild(node),
    contains: (node: Node) => parent.contains(node),
  } as unknown as Element;
}
