import type { Import, SourceModule } from "./import_graph.ts";

/** What the files of one room may import. In patterns `*` stands for anything but a slash, `**` for anything. */
export interface ImportRule {
  /** The room; of several rules the first that fits a file counts. */
  room: string;
  files: string[];
  packages: string[];
  /** What its test files may import beside that; by default all of tests/support. */
  testFiles?: string[];
}

const TEST_FILE = /_test\.tsx?$/;
const FRAMEWORK = "lib/fresh/**";

/** One line for every import that no rule allows: file, import, rule. */
export function forbiddenImports(modules: SourceModule[], rules: ImportRule[]): string[] {
  return modules.flatMap((module) => {
    const rule = rules.find(({ room }) => matches(module.path, room));
    if (rule === undefined) return [`${module.path}: no rule says what it may import`];
    return module.imports.flatMap((imported) => {
      const reason = objection(module.path, imported, rule);
      return reason === null ? [] : [`${module.path} imports "${imported.specifier}": ${reason}`];
    });
  });
}

function objection(path: string, { target }: Import, rule: ImportRule): string | null {
  const isTest = TEST_FILE.test(path);
  if ("package" in target) {
    if (isTest || rule.packages.some((pattern) => matches(target.package, pattern))) return null;
    return `of packages, ${rule.room} may import only ${listed(rule.packages)}`;
  }
  if (matches(target.file, FRAMEWORK) && !matches(path, FRAMEWORK)) {
    return "the framework is imported by its names fresh, fresh/runtime and fresh/dev only, never by path";
  }
  const files = [...rule.files, ...isTest ? rule.testFiles ?? ["tests/support/**"] : []];
  if (files.some((pattern) => matches(target.file, pattern))) return null;
  return `of files, ${rule.room} may import only ${listed(files)}`;
}

export function matches(path: string, pattern: string): boolean {
  const source = pattern.split(/(\*\*|\*)/).map((part) =>
    part === "**" ? ".*" : part === "*" ? "[^/]*" : part.replaceAll(/[.()+$^|[\]{}?\\]/g, "\\$&")
  ).join("");
  return new RegExp(`^${source}$`).test(path);
}

function listed(patterns: string[]): string {
  return patterns.join(", ") || "none";
}
