// `kindred report`: what became of the lists of a project's placements.
import { type Command, InvalidArgumentError } from 'commander';
import { DAY_MS } from '../base/durations.ts';
import { KindredError, type PlacementEffect, type PlacementReportRow } from '../client/index.ts';
import { MAX_ASSIST_HOURS } from '../domain/project.ts';
import {
  addCommonOptions,
  type CommandContext,
  type CommonFlags,
  runCommand,
  type Speaker,
  wholeNumber,
} from './command.ts';
import { chooseProject } from './project-choice.ts';
import { tableView } from './table-view.ts';

const SPANS = ['total', 'day', 'hour'] as const;
type Span = (typeof SPANS)[number];

export interface ReportFlags extends CommonFlags {
  project?: string;
  placement?: string;
  days: number;
  by: Span;
  assisted?: boolean;
  assistWindow?: number;
}

const EXAMPLES = `  $ kindred report
  $ kindred report --placement home-page --days 7 --by day
  $ kindred report --assisted --assist-window 72
  $ kindred report --days 1 --by hour --json`;

export function registerReport(program: Command): void {
  const command = program
    .command('report')
    .description('show the results of recommendations: served, shown, clicked, target events and value')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--placement <name>', 'only this placement')
    .option('--days <n>', 'the last days', wholeNumber('--days', 1, 400), 30)
    .option('--by <span>', 'total, day or hour (up to 31 days)', knownSpan, 'total')
    .option('--assisted', 'events that follow without the recommendation_id, instead of direct ones')
    .option(
      '--assist-window <hours>',
      'first set how long shown items assist events; applies to items shown from now on',
      wholeNumber('--assist-window', 1, MAX_ASSIST_HOURS),
    );
  addCommonOptions(command, EXAMPLES).action((flags: ReportFlags) => runCommand(flags, report));
}

function knownSpan(text: string): Span {
  const span = SPANS.find((known) => known === text);
  if (span === undefined) throw new InvalidArgumentError('Write total, day or hour.');
  return span;
}

export async function report({ flags, kindred: connect, speaker }: CommandContext<ReportFlags>): Promise<void> {
  const kindred = connect();
  const project = await chooseProject(kindred, flags.project);
  if (flags.assistWindow !== undefined) {
    await kindred.updateProject({ project_id: project.project_id, assist_window_hours: flags.assistWindow });
    speaker.say(`Items shown from now on assist events for ${flags.assistWindow} h.`);
  }
  const toTs = Date.now();
  const response = await kindred.getPlacementReport({
    project_id: project.project_id,
    placement: flags.placement,
    by: flags.by,
    from_ts: toTs - flags.days * DAY_MS,
    to_ts: toTs,
  });
  // Figures of a deleted placement stay, so only one without figures is looked for, if the key may.
  if (flags.placement !== undefined && response.totals.length === 0) {
    const looking = kindred.getPlacement({ project_id: project.project_id, name: flags.placement });
    await looking.catch((error) => {
      if (!(error instanceof KindredError && error.code === 'INSUFFICIENT_SCOPE')) throw error;
    });
  }
  speaker.result(response, () => {
    const rows = flags.by === 'total' ? response.totals : response.rows;
    if (rows.length === 0) return 'No recommendations in this time.';
    return reportTable(rows, flags, speaker);
  });
}

function reportTable(
  rows: readonly PlacementReportRow[],
  { by, assisted }: ReportFlags,
  { width, style }: Speaker,
): string {
  const effectOf = (row: PlacementReportRow) => (assisted ? row.assisted : row.direct);
  const count = (value: number) => value.toLocaleString('en-US');
  return tableView(
    rows,
    [
      { title: 'placement', of: ({ placement }) => placement ?? '(direct calls)' },
      ...(rows.some(({ variant }) => variant !== null)
        ? [{ title: 'variant', of: ({ variant }: PlacementReportRow) => variant ?? '' }]
        : []),
      ...(by === 'total' ? [] : [{ title: by, of: ({ ts }: PlacementReportRow) => timeText(ts ?? 0, by) }]),
      { title: 'served', of: ({ served }) => count(served), align: 'right' },
      { title: 'shown', of: ({ shown }) => count(shown), align: 'right' },
      { title: 'clicked', of: (row) => count(effectOf(row).clicked), align: 'right' },
      { title: 'click rate', of: (row) => rateText(effectOf(row).click_rate), align: 'right' },
      { title: 'target events', of: (row) => count(effectOf(row).target_events), align: 'right' },
      { title: 'value', of: (row) => count(Math.round(effectOf(row).value * 100) / 100), align: 'right' },
    ],
    width,
    style,
  );
}

const timeText = (ts: number, by: Span): string =>
  new Date(ts)
    .toISOString()
    .slice(0, by === 'day' ? 10 : 16)
    .replace('T', ' ');

function rateText(rate: PlacementEffect['click_rate']): string {
  if (rate === null) return '';
  const percent = (share: number) => (share * 100).toFixed(1);
  return `${percent(rate.estimate)}% (${percent(rate.low)} to ${percent(rate.high)})`;
}
