import { Fragment, isValidElement, type VNode } from "preact";
import { element } from "../element.ts";
import { currentState, type RenderState } from "./render_state.ts";
import { isSignal, serialize, SlotRef } from "./serialize.ts";

type Props = Record<string, unknown>;

/** Renders an island between comments that say which one it is. */
export function IslandBoundary({ original }: { original: VNode<Props> }): VNode | null {
  const state = currentState();
  const island = state?.islandOf(original.type);
  if (!state || !island) return null;
  state.islands.add(island);
  const index = [...state.islands].indexOf(island);
  const shown: Props = { ...original.props };
  const sent: Props = { ...original.props };
  for (const [name, value] of Object.entries(shown)) {
    if (!isContent(name, value)) continue;
    const id = state.slots.push({ content: value, isRendered: false }) - 1;
    shown[name] = element(Slot, { id });
    sent[name] = new SlotRef(id);
  }
  const instance = state.islandProps.push(sent) - 1;
  const vnode = state.asPlain(element(original.type, shown));
  state.ownedByIsland.add(vnode);
  return between(`island:${index}:${instance}`, vnode);
}

/** Whether a prop is for the server to render. A signal looks like an element to preact. */
function isContent(name: string, value: unknown): boolean {
  if (name === "children") return value !== undefined;
  return isValidElement(value) && !isSignal(value);
}

function Slot({ id }: { id: number }): VNode | null {
  const slot = currentState()?.slots[id];
  if (!slot) return null;
  slot.isRendered = true;
  return between(`slot:${id}`, slot.content as VNode);
}

function between(marker: string, child: VNode): VNode {
  const comment = (text: string) => element(Fragment, { UNSTABLE_comment: text });
  return element(Fragment, null, comment(`frsh:${marker}`), child, comment(`/frsh:${marker.split(":")[0]}`));
}

/** Ends the body: content that no island has shown so far, which may hold more islands, then the page's script. */
export function Scripts(): VNode | null {
  const state = currentState();
  if (!state || state.hasScript) return null;
  const waiting = [...state.slots.entries()].filter(([, slot]) => !slot.isRendered);
  if (waiting.length === 0) return pageScripts(state);
  const templates = waiting.map(([id, slot]) => {
    slot.isRendered = true;
    return state.asPlain(element("template", { id: `frsh-slot-${id}` }, slot.content as VNode));
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
  // Neither "</script" nor "<!--" may occur; both do in strings only, where the escape is the same character.
  const __html = code.replaceAll(
    /[<\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return state.asPlain(element("script", { type: "module", dangerouslySetInnerHTML: { __html } }));
}
