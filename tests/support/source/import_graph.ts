import { posix } from "node:path";

/** What the architecture tests know about a source file. */
export interface SourceModule {
  /** Relative to the project folder, with slashes. */
  path: string;
  imports: Import[];
  /** The identifiers in its code, and members one level deep: `console`, `Deno`, `Deno.env`. Comments do not count. */
  names: Set<string>;
  /** Its string literals. */
  texts: Set<string>;
  /** The tables that it writes. `?` stands for a table whose name is not written in the statement. */
  writes: Set<string>;
}

/** An import, `export from`, dynamic import, import type or worker URL. */
export interface Import {
  /** As written. */
  specifier: string;
  /** The imported file of the project, or the name of a package: `pg`, `fresh/runtime`, `node:path`. */
  target: { file: string } | { package: string };
}

const WRITES = /^(insertInto|replaceInto|updateTable|deleteFrom|mergeInto)$/;
const SQL_WRITE =
  /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?|update(?:\s+only)?)\s+(?:"?([a-z_]+)"?|$)/gi;
/** Ends of clauses that only look like writes. */
const NOT_A_TABLE = ["skip", "set", "nowait", "of"];
const SKIPPED_FOLDERS = /^(\.|_fresh|node_modules$|coverage$)/;

/** Parses every TypeScript file below `root`, except build output and hidden folders. */
export async function readProject(root: URL): Promise<SourceModule[]> {
  const modules: SourceModule[] = [];
  for await (const path of sourcePaths(root)) {
    modules.push(parseModule(path, await Deno.readTextFile(new URL(path, root))));
  }
  return modules;
}

async function* sourcePaths(root: URL, folder = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (isDirectory && !SKIPPED_FOLDERS.test(name)) yield* sourcePaths(root, `${folder}${name}/`);
    if (!isDirectory && /\.tsx?$/.test(name)) yield folder + name;
  }
}

/** Parses one file with Deno's own parser, which tests can use through `Deno.lint`. */
export function parseModule(path: string, source: string): SourceModule {
  const specifiers = new Set<string>();
  const names = new Set<string>();
  const texts = new Set<string>();
  const writes = new Set<string>();
  const addSql = (text: string) => {
    for (const [, table = "?"] of text.matchAll(SQL_WRITE)) if (!NOT_A_TABLE.includes(table)) writes.add(table);
  };
  const addSource = ({ source }: { source?: Deno.lint.Node | null }) => {
    if (source?.type === "Literal") specifiers.add(String(source.value));
  };
  const visitor: Deno.lint.LintVisitor = {
    ImportDeclaration: addSource,
    ExportNamedDeclaration: addSource,
    ExportAllDeclaration: addSource,
    ImportExpression: addSource,
    TSImportType({ argument }) {
      if (argument.type === "TSLiteralType" && argument.literal.type === "Literal") {
        specifiers.add(String(argument.literal.value));
      }
    },
    NewExpression({ callee, arguments: [address, base] }) {
      const isOwnFile = callee.type === "Identifier" && callee.name === "URL" && address?.type === "Literal" &&
        base?.type === "MemberExpression" && base.object.type === "MetaProperty";
      // Workers are imported with `new URL("./worker.ts", import.meta.url)`. Folders and data files are not modules.
      if (isOwnFile && /\.tsx?$/.test(String(address.value))) specifiers.add(String(address.value));
    },
    CallExpression({ callee, arguments: [table] }) {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (!WRITES.test(callee.property.name)) return;
      writes.add(table?.type === "Literal" ? String(table.value).split(" ")[0] : "?");
    },
    TaggedTemplateExpression({ tag, quasi }) {
      const name = tag.type === "TSInstantiationExpression" ? tag.expression : tag;
      if (name.type === "Identifier" && name.name === "sql") quasi.quasis.forEach(({ cooked }) => addSql(cooked));
    },
    Identifier: ({ name }) => void names.add(name),
    MemberExpression({ object, property }) {
      if (object.type === "Identifier" && property.type === "Identifier") names.add(`${object.name}.${property.name}`);
    },
    Literal({ value }) {
      if (typeof value === "string") texts.add(value);
    },
    TemplateElement: ({ cooked }) => void texts.add(cooked),
  };
  Deno.lint.runPlugin({ name: "read", rules: { read: { create: () => visitor } } }, path, source);
  const imports = [...specifiers].map((specifier) => ({ specifier, target: targetOf(path, specifier) }));
  return { path, imports, names, texts, writes };
}

function targetOf(path: string, specifier: string): Import["target"] {
  if (/^\.{0,2}\//.test(specifier)) return { file: posix.join(posix.dirname(path), specifier) };
  if (/^(node:|fresh\/)/.test(specifier)) return { package: specifier };
  const name = specifier.replace(/^npm:\/?/, "").match(/^(@[^/]+\/)?[^/@]+/)?.[0];
  return { package: name ?? specifier };
}

/** Returns the import cycles, each as its paths with the first one repeated at the end. Type imports count. */
export function findCycles(modules: SourceModule[]): string[][] {
  return cyclesIn(new Map(modules.map((module) => [module.path, filesImportedBy(module)])));
}

/**
 * Returns the circles of rooms, each as the imports that tie them, one for each pair. Type imports count.
 *
 * @param isDeclaration whether a file is a room of its own, although it lies with its subject.
 */
export function findRoomCycles(modules: SourceModule[], isDeclaration: (path: string) => boolean): string[][] {
  const roomOf = (path: string) => isDeclaration(path) ? path : folderOf(path);
  const ties = new Map<string, Map<string, string>>();
  for (const { path, imports } of modules.map((each) => ({ path: each.path, imports: filesImportedBy(each) }))) {
    const tied = ties.get(roomOf(path)) ?? new Map<string, string>();
    ties.set(roomOf(path), tied);
    for (const file of imports.filter((file) => roomOf(file) !== roomOf(path))) {
      if (!tied.has(roomOf(file))) tied.set(roomOf(file), `${path} -> ${file}`);
    }
  }
  const cycles = cyclesIn(new Map([...ties].map(([room, tied]) => [room, [...tied.keys()]])));
  return cycles.map((rooms) => rooms.slice(1).map((room, index) => ties.get(rooms[index])!.get(room)!));
}

/** Returns the folder of a file in lib, or that below the project folder. A file in neither is a room of its own. */
function folderOf(path: string): string {
  return /^(lib\/)?[^/]+/.exec(path)![0];
}

function cyclesIn(graph: Map<string, string[]>): string[][] {
  const finished = new Set<string>();
  const cycles: string[][] = [];
  const walk = (path: string, trail: string[]) => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path]);
    if (start >= 0 || finished.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    finished.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return cycles;
}

function filesImportedBy(module: SourceModule): string[] {
  return module.imports.flatMap(({ target }) => "file" in target ? [target.file] : []);
}
