import { Fragment, isValidElement, type VNode } from "preact";
import { element } from "../element.ts";
import { currentState, type RenderState } from "./render_state.ts";
import { isSignal, serialize, SlotRef } from "./serialize.ts";

type Props = Record<string, unknown>;

/** Renders an island between comments that identify it to the client. */
export function IslandBoundary({ original }: { original: VNode<Props> }): VNode | null {
  const state = currentState();
  const island = state?.islandOf(original.type);
  if (!state || !island) return null;
  state.islands.add(island);
  const index = [...state.islands].indexOf(island);
  const renderedProps: Props = { ...original.props };
  const sentProps: Props = { ...original.props };
  for (const [name, value] of Object.entries(renderedProps)) {
    if (!isContent(name, value)) continue;
    const id = state.slots.push({ content: value, isRendered: false }) - 1;
    renderedProps[name] = element(Slot, { id });
    sentProps[name] = new SlotRef(id);
  }
  const instance = state.islandProps.push(sentProps) - 1;
  const vnode = state.markFinal(element(original.type, renderedProps));
  state.ownedByIsland.add(vnode);
  return wrapInComments(`island:${index}:${instance}`, vnode);
}

/** Returns whether the server renders a prop. Preact's `isValidElement` is also true for signals. */
function isContent(name: string, value: unknown): boolean {
  if (name === "children") return value !== undefined;
  return isValidElement(value) && !isSignal(value);
}

function Slot({ id }: { id: number }): VNode | null {
  const slot = currentState()?.slots[id];
  if (!slot) return null;
  slot.isRendered = true;
  return wrapInComments(`slot:${id}`, slot.content as VNode);
}

function wrapInComments(marker: string, child: VNode): VNode {
  const comment = (text: string) => element(Fragment, { UNSTABLE_comment: text });
  return element(Fragment, null, comment(`frsh:${marker}`), child, comment(`/frsh:${marker.split(":")[0]}`));
}

/** Renders the end of the body: templates for slots that no island rendered, then the page's script. */
export function Scripts(): VNode | null {
  const state = currentState();
  if (!state || state.hasScript) return null;
  const notRendered = [...state.slots.entries()].filter(([, slot]) => !slot.isRendered);
  if (notRendered.length === 0) return pageScripts(state);
  // The templates may contain more islands, so this component is rendered again after them.
  const templates = notRendered.map(([id, slot]) => {
    slot.isRendered = true;
    return state.markFinal(element("template", { id: `frsh-slot-${id}` }, slot.content as VNode));
  });
  return element(Fragment, null, templates, element(Scripts, null));
}

function pageScripts(state: RenderState): VNode | null {
  state.hasScript = true;
  const { islands, request: { build, basePath } } = state;
  const boot = islands.size > 0 && script(state, bootCode(state));
  const dev = build.devEntry !== undefined && script(state, `import${JSON.stringify(basePath + build.devEntry)}`);
  return boot || dev ? element(Fragment, null, boot, dev) : null;
}

function bootCode({ islands, islandProps, request: { basePath, build } }: RenderState): string {
  const from = (file: string) => JSON.stringify(basePath + file);
  const imports = Array.from(islands, ({ file }, i) => `import*as i${i} from${from(file)};`);
  const components = Array.from(islands, ({ exportName }, i) => `i${i}[${JSON.stringify(exportName)}]`);
  const props = JSON.stringify(serialize(islandProps));
  return `import{boot}from${from(build.clientEntry)};${imports.join("")}boot([${components}],${props});`;
}

function script(state: RenderState, code: string): VNode {
  // "</script" and "<!--" would end or change the script. They can only occur in strings, where escaping is harmless.
  const __html = code.replaceAll(
    /[<\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return state.markFinal(element("script", { type: "module", dangerouslySetInnerHTML: { __html } }));
}
