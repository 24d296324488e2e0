import type { Import, SourceModule } from "./import_graph.ts";

/** What the files of a room may import. In patterns, `*` matches everything except a slash, and `**` everything. */
export interface ImportRule {
  /** The files that the rule applies to. The first rule that matches a file applies. */
  room: string;
  files: string[];
  packages: string[];
  /** What its test files may import in addition. By default, all of tests/support. */
  testFiles?: string[];
}

const TEST_FILE = /_test\.tsx?$/;
const FRAMEWORK = "lib/fresh/**";

/** Returns one line for every forbidden import: the file, the import and the rule. */
export function forbiddenImports(modules: SourceModule[], rules: ImportRule[]): string[] {
  return modules.flatMap((module) => {
    const rule = rules.find(({ room }) => matches(module.path, room));
    if (rule === undefined) return [`${module.path}: no rule applies to this file`];
    return module.imports.flatMap((imported) => {
      const reason = objectionTo(module.path, imported, rule);
      return reason === null ? [] : [`${module.path} imports "${imported.specifier}": ${reason}`];
    });
  });
}

function objectionTo(path: string, { target }: Import, rule: ImportRule): string | null {
  const isTest = TEST_FILE.test(path);
  if ("package" in target) {
    if (isTest || rule.packages.some((pattern) => matches(target.package, pattern))) return null;
    return `${rule.room} may import only these packages: ${listed(rule.packages)}`;
  }
  if (matches(target.file, FRAMEWORK) && !matches(path, FRAMEWORK)) {
    return "import the framework as fresh, fresh/runtime or fresh/dev, not by path";
  }
  const files = [...rule.files, ...isTest ? rule.testFiles ?? ["tests/support/**"] : []];
  if (files.some((pattern) => matches(target.file, pattern))) return null;
  return `${rule.room} may import only these files: ${listed(files)}`;
}

/** Whether a path matches a pattern of {@linkcode ImportRule}. */
export function matches(path: string, pattern: string): boolean {
  const source = pattern.split(/(\*\*|\*)/).map((part) =>
    part === "**" ? ".*" : part === "*" ? "[^/]*" : part.replaceAll(/[.()+$^|[\]{}?\\]/g, "\\$&")
  ).join("");
  return new RegExp(`^${source}$`).test(path);
}

function listed(patterns: string[]): string {
  return patterns.join(", ") || "none";
}
