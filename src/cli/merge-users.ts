// `kindred merge-users FROM INTO`: a visitor becomes a user.
import type { Command } from 'commander';
import { addCommonOptions, type CommonFlags, runCommand } from './command.ts';
import { chooseProject } from './project-choice.ts';
import { formatCount } from './style.ts';

interface MergeFlags extends CommonFlags {
  project?: string;
}

const EXAMPLES = `  $ kindred merge-users visitor-7f3a viewer-00001
  $ kindred merge-users visitor-7f3a viewer-00001 --project films --json`;

export function registerMergeUsers(program: Command): void {
  const command = program
    .command('merge-users')
    .description('move the events and attributes of a visitor to a user')
    .argument('<from>', 'id of the visitor, which is deleted after the merge')
    .argument('<into>', 'id of the user to keep')
    .option('--project <id or name>', 'the project (default: the only one)');
  addCommonOptions(command, EXAMPLES).action((from_user_id: string, into_user_id: string, flags: MergeFlags) =>
    runCommand(flags, async ({ kindred: connect, speaker }) => {
      const kindred = connect();
      const { project_id } = await chooseProject(kindred, flags.project);
      const response = await kindred.mergeUsers({ project_id, from_user_id, into_user_id });
      const count = formatCount(response.merged_events);
      speaker.result(
        response,
        () => `${count} ${response.merged_events === 1 ? 'event' : 'events'} moved to ${into_user_id}`,
      );
    }),
  );
}
