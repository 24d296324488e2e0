interface Graph {
  roots: string[];
  modules: GraphModule[];
  redirects: Record<string, string>;
}

interface GraphModule {
  specifier: string;
  npmPackage?: string;
  /** Without `code`, only a type is imported. */
  dependencies?: { code?: { specifier?: string } }[];
}

/** Returns the ids in the lock file of the packages that programs import when they run, such as `pg@8.23.1`. */
export async function importedPackages(programs: string[]): Promise<string[]> {
  const graphs = await Promise.all(programs.map(graphOf));
  return [...new Set(graphs.flatMap(packagesIn))].sort();
}

async function graphOf(program: string): Promise<Graph> {
  const args = ["info", "--quiet", "--json", program];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error(`deno ${args.join(" ")} failed: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

function packagesIn({ roots, modules, redirects }: Graph): string[] {
  const bySpecifier = new Map(modules.map((each) => [each.specifier, each]));
  const reached = new Set(roots);
  // A set also visits what is added meanwhile.
  for (const specifier of reached) {
    for (const { code } of bySpecifier.get(specifier)?.dependencies ?? []) {
      if (code?.specifier !== undefined) reached.add(redirects[code.specifier] ?? code.specifier);
    }
  }
  return [...reached].flatMap((specifier) => bySpecifier.get(specifier)?.npmPackage ?? []);
}
