// `kindred audit`: who changed what in the account, when.
import { type Command, InvalidArgumentError } from 'commander';
import { plural } from '../base/plural.ts';
import type { AuditEntry } from '../client/index.ts';
import {
  addCommonOptions,
  type CommandContext,
  type CommonFlags,
  runCommand,
  type Speaker,
  wholeNumber,
} from './command.ts';
import { tableView } from './table-view.ts';

interface AuditFlags extends CommonFlags {
  from?: number;
  to?: number;
  operation?: string;
  key?: string;
  limit: number;
}

const EXAMPLES = `  $ kindred audit
  $ kindred audit --from 2026-11-01 --operation /create-api-key
  $ kindred audit --key key_… --limit 1000 --json`;

export function registerAudit(program: Command): void {
  const command = program
    .command('audit')
    .description('list who changed what, when, newest first')
    .option('--from <time>', 'changes from this time on, such as 2026-11-01', timeOf)
    .option('--to <time>', 'changes before this time', timeOf)
    .option('--operation <path>', 'one operation, such as /create-api-key')
    .option('--key <key id>', 'changes by this API key')
    .option('--limit <n>', 'how many to list', wholeNumber('--limit', 1, 1000), 50);
  addCommonOptions(command, EXAMPLES).action((flags: AuditFlags) => runCommand(flags, listEntries));
}

async function listEntries({ flags, kindred, speaker }: CommandContext<AuditFlags>): Promise<void> {
  const { audit_entries } = await kindred().listAuditEntries({
    from_ts: flags.from,
    to_ts: flags.to,
    operation: flags.operation,
    key_id: flags.key,
    page_size: flags.limit,
  });
  speaker.result({ audit_entries }, () =>
    audit_entries.length === 0 ? 'No changes.' : entriesTable(audit_entries, speaker),
  );
}

function entriesTable(entries: AuditEntry[], { width, style }: Speaker): string {
  return tableView(
    entries,
    [
      { title: 'time', of: ({ created_ts }) => new Date(created_ts).toISOString().slice(0, 19).replace('T', ' ') },
      { title: 'who', of: ({ actor }) => actor.name ?? actor.id },
      { title: 'operation', of: ({ operation }) => operation },
      { title: 'object', of: ({ object_id }) => object_id ?? '', whole: true },
      { title: 'what', of: whatOf },
    ],
    width,
    style,
  );
}

function whatOf({ summary, calls, records }: AuditEntry): string {
  const counts = [calls > 1 ? plural(calls, 'call') : '', records > 0 ? plural(records, 'record') : ''];
  return [summary, ...counts].filter(Boolean).join(', ');
}

function timeOf(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a date such as 2026-11-01 or 2026-11-01T12:00:00Z.');
  return ms;
}
