// `kindred mcp`: tools for assistants over the Model Context Protocol, with the scopes of the key it is started with.
import type { Command } from 'commander';
import { type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { addConnectionOptions } from './connection.ts';
import { CommandError, EXIT, EXIT_CODES_HELP } from './exit-codes.ts';
import { ASK_TOOLS } from './mcp/ask-tools.ts';
import { READ_TOOLS } from './mcp/read-tools.ts';
import { serveTools, toolsFor } from './mcp/serve-tools.ts';

const TOOLS = [...READ_TOOLS, ...ASK_TOOLS];

const HELP = `
An assistant starts this command and talks to it over standard input and output. See docs/assistants.md.

Tools:
${TOOLS.map(({ name, title }) => `  ${name.padEnd(24)} ${title}`).join('\n')}

Examples:
  $ kindred mcp
  $ kindred mcp --url https://kindred.example.com

The configuration of an assistant:
  { "mcpServers": { "kindred": { "command": "npx", "args": ["kindred", "mcp"],
      "env": { "KINDRED_BASE_URL": "https://…", "KINDRED_API_KEY": "kk_…", "KINDRED_CLIENT_SECRET": "ks_…" } } } }
${EXIT_CODES_HELP}`;

export function registerMcp(program: Command): void {
  const command = program.command('mcp').description('offer tools to an assistant (Model Context Protocol)');
  addConnectionOptions(command)
    .addHelpText('after', HELP)
    .action((flags: CommonFlags) => runCommand(flags, serve));
}

async function serve({ kindred: connect, signal }: CommandContext<CommonFlags>): Promise<void> {
  const kindred = connect();
  const tools = toolsFor(await kindred.scopes(), TOOLS);
  if (tools.offered.length === 0) {
    const message = `the key covers none of the tools. Create one with the scopes of docs/assistants.md`;
    throw new CommandError(message, EXIT.REFUSED);
  }
  await serveTools(kindred, tools, signal);
  signal.throwIfAborted();
}
