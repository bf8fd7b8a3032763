// `kindred webhooks`: lists the account's webhooks, creates and deletes them.
import { type Command, InvalidArgumentError } from 'commander';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../domain/webhook.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { tableView } from './table-view.ts';

interface WebhookFlags extends CommonFlags {
  create?: string;
  events?: WebhookEvent[];
  delete?: string;
}

const EXAMPLES = `  $ kindred webhooks
  $ kindred webhooks --create https://example.com/kindred --events job.failed,model.trained
  $ kindred webhooks --delete whk_…`;

export function registerWebhooks(program: Command): void {
  const command = program
    .command('webhooks')
    .description('list the webhooks of the account; create or delete one')
    .option('--create <url>', 'send events to this address and show the secret that checks them once')
    .option('--events <names>', `${WEBHOOK_EVENTS.join(', ')}: separated by commas (default: all)`, eventList)
    .option('--delete <id>', 'delete a webhook');
  addCommonOptions(command, EXAMPLES).action((flags: WebhookFlags) => runCommand(flags, webhooks));
}

async function webhooks({ flags, kindred: connect, speaker }: CommandContext<WebhookFlags>): Promise<void> {
  if (flags.events !== undefined && flags.create === undefined) throw new UsageError('--events is for --create');
  const kindred = connect();
  if (flags.create !== undefined) {
    const made = await kindred.createWebhook({ url: flags.create, events: flags.events ?? [...WEBHOOK_EVENTS] });
    speaker.result(made, () => `${made.webhook_id}\nCopy the secret now, it is not shown again: ${made.secret}`);
    return;
  }
  if (flags.delete !== undefined) {
    const deleted = await kindred.deleteWebhook({ webhook_id: flags.delete });
    speaker.result(deleted, () => `Webhook ${deleted.webhook_id} deleted`);
    return;
  }
  const response = await kindred.listWebhooks();
  const columns = [
    { title: 'webhook', of: (row: (typeof response.webhooks)[number]) => row.webhook_id, whole: true },
    { title: 'url', of: (row: (typeof response.webhooks)[number]) => row.url },
    { title: 'events', of: (row: (typeof response.webhooks)[number]) => row.events },
    { title: 'last attempt', of: (row: (typeof response.webhooks)[number]) => row.last_attempt?.message ?? 'none' },
  ];
  speaker.result(response, () =>
    response.webhooks.length === 0
      ? 'No webhooks. Create one with --create URL.'
      : tableView(response.webhooks, columns, speaker.width, speaker.style),
  );
}

function eventList(text: string): WebhookEvent[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !WEBHOOK_EVENTS.some((event) => event === name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`"${unknown}" is not an event. Use ${WEBHOOK_EVENTS.join(', ')}.`);
  }
  return names as WebhookEvent[];
}
