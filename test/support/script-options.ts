// The command line of a script: its options, and what it prints for --help and for what it does not know.
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';

export interface ScriptOption extends ParseArgsOptionDescriptor {
  /** what it does, for --help */
  readonly help: string;
}

interface Script<Options> {
  /** how it is called, with an example of its arguments */
  readonly usage: string;
  readonly options: Options;
  readonly allowPositionals?: boolean;
}

const WRONG_USAGE = 2;

/** As parseArgs. --help prints the usage and ends the process; so does what the script does not know, with exit code 2. */
export function scriptOptions<const Options extends Record<string, ScriptOption>>(script: Script<Options>) {
  const { options, allowPositionals = false } = script;
  if (process.argv.includes('--help')) {
    process.stdout.write(usageOf(script));
    process.exit();
  }
  try {
    return parseArgs({ options, allowPositionals });
  } catch (error) {
    return refuseArguments(script, (error as Error).message);
  }
}

/** Ends the process with the usage of the script. */
export function refuseArguments(script: Script<Record<string, ScriptOption>>, why: string): never {
  process.stderr.write(`${why}\n\n${usageOf(script)}`);
  process.exit(WRONG_USAGE);
}

function usageOf({ usage, options }: Script<Record<string, ScriptOption>>): string {
  const lines = Object.entries(options).map(([name, { type, help, default: value }]) => {
    const said = typeof value === 'string' && value !== '' ? ` (default: ${value})` : '';
    return `  ${`--${name}${type === 'string' ? ' …' : ''}`.padEnd(22)}${help}${said}\n`;
  });
  return `Usage: ${usage}\n\n${lines.join('')}`;
}
