// `kindred sessions`: who is signed in to the console, and signing people out.
import type { Command } from 'commander';
import { plural } from '../base/plural.ts';
import type { ConsoleSession } from '../client/index.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { formatMinute } from './style.ts';
import { tableView } from './table-view.ts';

interface SessionFlags extends CommonFlags {
  end?: string;
}

const EXAMPLES = `  $ kindred sessions
  $ kindred sessions --end ses_…
  $ kindred sessions --end per_…`;

export function registerSessions(program: Command): void {
  const command = program
    .command('sessions')
    .description('list who is signed in to the console; sign people out')
    .option('--end <id>', 'end one session (ses_…), or all sessions of a person (per_…)');
  addCommonOptions(command, EXAMPLES).action((flags: SessionFlags) => runCommand(flags, sessions));
}

async function sessions({ flags, kindred, speaker }: CommandContext<SessionFlags>): Promise<void> {
  if (flags.end !== undefined) {
    const which = flags.end.startsWith('per_') ? { person_id: flags.end } : { session_id: flags.end };
    const response = await kindred().endConsoleSessions(which);
    speaker.result(response, () => `${plural(response.ended, 'session')} ended`);
    return;
  }
  const response = await kindred().listConsoleSessions();
  const columns = [
    { title: 'session', of: ({ session_id }: ConsoleSession) => session_id, whole: true },
    { title: 'person', of: ({ person_id }: ConsoleSession) => person_id, whole: true },
    { title: 'name', of: ({ name }: ConsoleSession) => name },
    { title: 'role', of: ({ role }: ConsoleSession) => role },
    { title: 'last used', of: ({ seen_ts }: ConsoleSession) => formatMinute(seen_ts) },
  ];
  speaker.result(response, () =>
    response.sessions.length === 0
      ? 'Nobody is signed in to the console with OpenID Connect.'
      : tableView(response.sessions, columns, speaker.width, speaker.style),
  );
}
