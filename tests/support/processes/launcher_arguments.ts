import project from "../../../deno.json" with { type: "json" };

/** Returns the arguments of Deno that run a task without the process of `deno task`, in any folder. */
export function launcherArguments(task: "start" | "foyer"): string[] {
  const launcher = import.meta.resolve("../../../lib/server/launch.ts");
  return project.tasks[task].command.replace("lib/server/launch.ts", launcher).split(" ").slice(1);
}
