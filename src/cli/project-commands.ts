// Commands of one subject within a project: `kindred placement list`, `kindred experiment show ID`.
import type { Command } from 'commander';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { chooseProject } from './project-choice.ts';

export interface ProjectFlags extends CommonFlags {
  project?: string;
}

/** Runs a command with its arguments in order. */
type Run<Flags> = (context: CommandContext<Flags>, ...words: string[]) => Promise<void>;

/** Adds commands to a group; each returned command takes further options. `exampleArgs`: the arguments of the example in its help. */
export function projectCommands<Flags extends ProjectFlags>(group: Command) {
  return (usage: string, description: string, run: Run<Flags>, exampleArgs = ''): Command => {
    const command = group
      .command(usage)
      .description(description)
      .option('--project <id or name>', 'the project (default: the only one)');
    const example = `  $ kindred ${group.name()} ${command.name()} ${exampleArgs}`.trimEnd();
    return addCommonOptions(command, example).action((...args: unknown[]) => {
      const words = args.filter((arg) => typeof arg === 'string');
      const flags = args.find((arg) => typeof arg === 'object' && arg !== null) as Flags;
      return runCommand(flags, (context) => run(context, ...words));
    });
  };
}

export async function projectOf({ flags, kindred: connect }: CommandContext<ProjectFlags>) {
  const kindred = connect();
  const { project_id } = await chooseProject(kindred, flags.project);
  return { kindred, project_id };
}
