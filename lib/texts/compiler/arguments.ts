import type { CompiledMessage } from "icu-minify/format";
import { ISOLATED } from "../messages.ts";

/** What a message does with an argument: inserts it, writes or counts it, chooses by it, or marks a part with it. */
export type ArgumentKind = "text" | "number" | "date" | "choice" | "tag";

/** One place at which a message uses an argument. */
export interface ArgumentUse {
  name: string;
  kind: ArgumentKind;
  /** The cases among which a choice chooses; for numbers, the plural forms and exact numbers such as `=1`. */
  cases?: string[];
  /** Which forms its cases are. */
  plural?: "cardinal" | "ordinal";
}

type MessageNode = Exclude<CompiledMessage, string>[number];
type Cases = Record<string, MessageNode | MessageNode[]>;

/** The numbers by which compiled messages name what they do. Source: icu-minify, types. */
const SELECT = 1;
const PLURAL = 2;
const ORDINAL = 3;
const KINDS: ArgumentKind[] = ["tag", "choice", "number", "number", "number", "date", "date"];
const PLURALS: Record<number, ArgumentUse["plural"]> = { [PLURAL]: "cardinal", [ORDINAL]: "ordinal" };

/**
 * Returns the arguments of a message by name.
 *
 * @throws {Error} if it uses one argument in two ways. A choice may also insert the text by which it chooses.
 */
export function argumentsOf(compiled: CompiledMessage): Map<string, ArgumentKind> {
  const found = new Map<string, ArgumentKind>();
  for (const { name, kind } of usesOf(compiled)) {
    const known = found.get(name) ?? kind;
    const isChoice = [known, kind].every((each) => each === "text" || each === "choice");
    if (known !== kind && !isChoice) throw new Error(`{${name}} is a ${known} and a ${kind}`);
    found.set(name, known === "choice" ? known : kind);
  }
  return found;
}

/** Lists every use of an argument in a message. */
export function usesOf(compiled: CompiledMessage): ArgumentUse[] {
  const uses = nodesOf(compiled).flatMap((node) => Array.isArray(node) ? useOf(node as [string, ...unknown[]]) : []);
  return uses.filter(({ name }) => name !== ISOLATED);
}

/** Lists the pieces of a message that are shown as they are. */
export function literalsOf(compiled: CompiledMessage): string[] {
  return nodesOf(compiled).filter((node) => typeof node === "string");
}

/** Lists all nodes of a message: those inside tags and cases too. */
function nodesOf(compiled: CompiledMessage): MessageNode[] {
  return [compiled].flat().flatMap((node) => [node, ...nodesOf(partsOf(node as MessageNode))]) as MessageNode[];
}

function partsOf(node: MessageNode): MessageNode[] {
  if (!Array.isArray(node)) return [];
  const [, type, ...rest] = node as [string, ...unknown[]];
  if (isTag(type)) return [type, ...rest] as MessageNode[];
  return hasCases(type) ? Object.values(rest[0] as Cases).flat() as MessageNode[] : [];
}

function useOf([name, type, cases]: [string, ...unknown[]]): ArgumentUse {
  if (type === undefined) return { name, kind: "text" };
  if (isTag(type)) return { name, kind: "tag" };
  const use = { name, kind: KINDS[Number(type)], plural: PLURALS[Number(type)] };
  return hasCases(type) ? { ...use, cases: Object.keys(cases as Cases) } : use;
}

/** What follows the name of a tag is its first part: a text, a node, or 0 for the number of a plural. */
function isTag(type: unknown): boolean {
  return type === 0 || type !== undefined && typeof type !== "number";
}

function hasCases(type: unknown): boolean {
  return type === SELECT || type === PLURAL || type === ORDINAL;
}
