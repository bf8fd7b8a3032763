// `kindred segment`: how a project reads messages of Segment and RudderStack.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { RequestOf } from '../client/operations.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { chooseProject } from './project-choice.ts';

interface SegmentFlags extends CommonFlags {
  project?: string;
  mapping?: string;
  reset?: boolean;
}

type Mapping = RequestOf<'/update-project'>['segment_mapping'];

const EXAMPLES = `  $ kindred segment
  $ kindred segment --mapping mapping.json
  $ kindred segment --reset`;

export function registerSegment(program: Command): void {
  const command = program
    .command('segment')
    .description('show or change how a project reads messages of Segment and RudderStack')
    .option('--project <id or name>', 'the project (default: the only one)')
    .addOption(new Option('--mapping <file>', 'JSON file with the new mapping').conflicts('reset'))
    .option('--reset', 'go back to the defaults');
  addCommonOptions(command, EXAMPLES).action((flags: SegmentFlags) => runCommand(flags, segment));
}

async function segment({ flags, kindred: connect, speaker }: CommandContext<SegmentFlags>): Promise<void> {
  const change = flags.reset ? null : flags.mapping === undefined ? undefined : readMapping(flags.mapping);
  const kindred = connect();
  const chosen = await chooseProject(kindred, flags.project);
  const { project_id } = chosen;
  const { segment_mapping } =
    change === undefined ? chosen : await kindred.updateProject({ project_id, segment_mapping: change });
  speaker.result({ project_id, segment_mapping }, () =>
    segment_mapping === null
      ? 'The defaults: the standard e-commerce events.'
      : JSON.stringify(segment_mapping, null, 2),
  );
}

function readMapping(file: string): Mapping {
  const text = readFileSync(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON`);
  }
}
