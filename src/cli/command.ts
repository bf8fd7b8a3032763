// The parts that all commands share: the connection, `--json`, and errors in one line with the right exit code.
import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import type { Kindred } from '../client/index.ts';
import { KindredError, KindredJobError } from '../client/index.ts';
import { ImportPlanError } from '../import/import-plan.ts';
import { UnreadableTable } from '../import/table.ts';
import { addConnectionOptions, type ConnectionFlags, connect } from './connection.ts';
import { CommandError, EXIT, EXIT_CODES_HELP, exitCodeOf, isFileProblem, UsageError } from './exit-codes.ts';
import { type Style, styleFor, widthOf } from './style.ts';

const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;

export interface CommonFlags extends ConnectionFlags {
  json?: boolean;
}

/** The output of a command: `say` for progress, `result` for the result. With `--json` only the result is printed. */
export interface Speaker {
  readonly json: boolean;
  readonly width: number;
  readonly style: Style;
  say(text: string): void;
  result(value: unknown, text: () => string): void;
}

export interface CommandContext<Flags> {
  flags: Flags;
  speaker: Speaker;
  /** Connects on first use, so that usage errors are reported before missing credentials. */
  kindred(): Kindred;
  /** Aborted by Ctrl-C and SIGTERM. These end a command that never reads it at once. */
  readonly signal: AbortSignal;
}

export function addCommonOptions(command: Command, examples: string): Command {
  return addConnectionOptions(command)
    .option('--json', 'print only the result to standard output, as JSON')
    .addHelpText('after', `\nExamples:\n${examples}\n${EXIT_CODES_HELP}`);
}

export function speakerFor(json: boolean): Speaker {
  return {
    json,
    width: widthOf(process.stdout),
    style: styleFor(process.stdout),
    say: (text) => void (json ? process.stderr : process.stdout).write(`${text}\n`),
    result: (value, text) => void process.stdout.write(`${json ? JSON.stringify(value, null, 2) : text()}\n`),
  };
}

/** Runs the body of a command and turns its errors into a message and an exit code. */
export async function runCommand<Flags extends CommonFlags>(
  flags: Flags,
  work: (context: CommandContext<Flags>) => Promise<void>,
  options: { maxRetries?: number } = {},
): Promise<void> {
  let controller: AbortController | undefined;
  const onInterrupt = () => controller?.abort(new CommandError('interrupted', EXIT.INTERRUPTED));
  let connected: Kindred | undefined;
  try {
    await work({
      flags,
      speaker: speakerFor(flags.json === true),
      kindred: () => {
        connected ??= connect(flags, options.maxRetries);
        return connected;
      },
      get signal() {
        if (controller === undefined) {
          controller = new AbortController();
          for (const name of INTERRUPTS) process.once(name, onInterrupt);
        }
        return controller.signal;
      },
    });
  } catch (error) {
    process.exitCode = isAboutFile(error) ? EXIT.USAGE : exitCodeOf(error);
    process.stderr.write(`kindred: ${describeError(error)}\n`);
  } finally {
    for (const name of INTERRUPTS) process.removeListener(name, onInterrupt);
  }
}

/** The message shown for an error, with a stack only for bugs. */
export function describeError(error: unknown): string {
  if (error instanceof KindredJobError) return `${error.message}\n(${error.code})`;
  if (error instanceof KindredError) {
    const fields = error.errors.slice(1).map(({ pointer, message }) => `\n  ${pointer} ${message}`);
    const request = error.requestId ? `, request ${error.requestId}` : '';
    const hint = error.code === 'CONNECTION_FAILED' ? '\nIs the service running? Start it with: kindred serve' : '';
    return `${error.message}${fields.join('')}\n(${error.code}${request})${hint}`;
  }
  const expected =
    [UsageError, CommandError, CommanderError].some((kind) => error instanceof kind) || isAboutFile(error);
  if (expected) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function isAboutFile(error: unknown): boolean {
  return error instanceof ImportPlanError || error instanceof UnreadableTable || isFileProblem(error);
}

export function wholeNumber(name: string, from: number, to: number): (text: string) => number {
  return (text) => {
    const value = numberOf(text);
    if (!(Number.isInteger(value) && value >= from && value <= to)) {
      throw new InvalidArgumentError(`${name} must be a whole number from ${from} to ${to}.`);
    }
    return value;
  };
}

export function decimalNumber(
  from = Number.NEGATIVE_INFINITY,
  to = Number.POSITIVE_INFINITY,
): (text: string) => number {
  const range = Number.isFinite(to)
    ? ` from ${from} to ${to}`
    : Number.isFinite(from)
      ? `, ${from} or more`
      : ' such as 2.5';
  return (text) => {
    const value = numberOf(text);
    if (!(Number.isFinite(value) && value >= from && value <= to)) {
      throw new InvalidArgumentError(`It must be a number${range}.`);
    }
    return value;
  };
}

/** `Number` makes 0 of an empty text. */
function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
