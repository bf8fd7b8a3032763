import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Command } from 'commander';
import { COMMANDS } from './commands.ts';

const PAGE = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
const ROWS = PAGE.split('\n').filter((line) => line.startsWith('| `'));

/** The command and its subcommands, without those that only group others. */
const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

test('the page about the command line has every command', () => {
  const missing = Object.keys(COMMANDS).filter(
    (name) => !ROWS.some((row) => new RegExp(`\`${name}[\` ]`).test(row.split('|')[1])),
  );
  assert.deepEqual(missing, []);
});

test('the page names the commands that have no --json', async () => {
  const program = new Command();
  for (const load of Object.values(COMMANDS)) (await load())(program);
  const without = leavesOf(program)
    .filter((command) => !command.options.some(({ long }) => long === '--json'))
    .map((command) => command.name());
  const [, named] = /all but ([^;]+?) have `--json`/.exec(PAGE) ?? [];
  assert.deepEqual([...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort(), without.sort());
});

test('the examples of a command give its arguments values, not their names', async () => {
  const program = new Command();
  for (const load of Object.values(COMMANDS)) (await load())(program);
  const placeholders = leavesOf(program).flatMap((command) => {
    const written: string[] = [];
    command.configureOutput({ writeOut: (text) => void written.push(text) }).outputHelp();
    const names = command.registeredArguments.map((argument) => argument.name()).join(' ');
    const lines = written.join('').split('\n');
    return names !== '' && lines.some((line) => line.endsWith(`${command.name()} ${names}`)) ? [command.name()] : [];
  });
  assert.deepEqual(placeholders, []);
});
