// `kindred data-health`: checks the data of a project and says what is wrong, what it costs and how to fix it.
import type { Command } from 'commander';
import type { HealthReport } from '../client/index.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { followJob } from './follow-job.ts';
import { chooseProject } from './project-choice.ts';
import type { Style } from './style.ts';

interface HealthFlags extends CommonFlags {
  project?: string;
  last?: boolean;
}

const EXAMPLES = `  $ kindred data-health
  $ kindred data-health --project shop --json
  $ kindred data-health --last            # the newest report, without a new check`;

export function registerDataHealth(program: Command): void {
  const command = program
    .command('data-health')
    .description('check the data of a project: what is wrong, what it costs and how to fix it')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--last', 'show the newest report instead of checking');
  addCommonOptions(command, EXAMPLES).action((flags: HealthFlags) => runCommand(flags, dataHealth));
}

async function dataHealth({ flags, kindred: connect, speaker, signal }: CommandContext<HealthFlags>): Promise<void> {
  const kindred = connect();
  const { project_id } = await chooseProject(kindred, flags.project);
  if (!flags.last) {
    const { job_id } = await kindred.submitDataHealthJob({ project_id });
    await followJob(kindred, { project_id, job_id }, { label: 'Data check', speaker, signal });
  }
  const { report } = await kindred.getDataHealth({ project_id });
  speaker.result(report, () =>
    report === null ? 'The data has not been checked yet. Run kindred data-health.' : reportText(report, speaker.style),
  );
}

function reportText(report: HealthReport, style: Style): string {
  const whole = (count: number) => count.toLocaleString('en-US');
  const types = report.types.slice(0, 8).map(({ event_type, count }) => `${event_type} ${whole(count)}`);
  const head = [
    `${whole(report.events)} events of ${whole(report.users)} users with ${whole(report.items)} items; ${whole(report.item_records)} item records.`,
    ...(types.length > 0 ? [`Types: ${types.join(', ')}.`] : []),
  ];
  if (report.findings.length === 0) return [...head, 'Nothing is wrong.'].join('\n');
  const findings = report.findings.flatMap(({ level, title, cost, fix, examples }) => [
    '',
    `${level === 'warning' ? style.bold('Warning') : 'Note'}: ${title}`,
    `  Cost: ${cost}`,
    `  Fix:  ${fix}`,
    ...(examples.length > 0 ? [`  For example: ${examples.join(', ')}`] : []),
  ]);
  return [...head, ...findings].join('\n');
}
