// Offers tools over the Model Context Protocol, on standard input and output. The protocol's library is loaded here alone, and only for
// this command.
import type { Kindred } from '../../client/index.ts';
import { VERSION } from '../../version.ts';
import { describeError } from '../command.ts';
import { formatCount } from '../style.ts';
import type { Arguments, AssistantTool } from './tool.ts';

/** An assistant has no use for more; it is asked to narrow its question. */
const MAX_RESULT_LENGTH = 200_000;

export interface OfferedTools {
  offered: readonly AssistantTool[];
  /** Tools that the key does not cover. */
  withheld: readonly AssistantTool[];
}

export function toolsFor(scopes: readonly string[], tools: readonly AssistantTool[]): OfferedTools {
  const isCovered = ({ needs }: AssistantTool): boolean =>
    scopes.includes('*') || needs.every((operation) => scopes.includes(operation));
  return { offered: tools.filter(isCovered), withheld: tools.filter((tool) => !isCovered(tool)) };
}

/** Resolves when the assistant or the signal has closed the connection. */
export async function serveTools(kindred: Kindred, tools: OfferedTools, signal: AbortSignal): Promise<void> {
  const { McpServer, fromJsonSchema } = await import('@modelcontextprotocol/server');
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const server = new McpServer({ name: 'kindred', version: VERSION }, { instructions: instructionsFor(tools) });
  for (const tool of tools.offered) {
    const { name, title, description, input, readOnly } = tool;
    const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false };
    const inputSchema = fromJsonSchema<Arguments>(input as unknown as Parameters<typeof fromJsonSchema>[0]);
    server.registerTool(name, { title, description, inputSchema, annotations }, (given, { mcpReq }) =>
      resultOf(tool, kindred, { given, signal: mcpReq.signal }),
    );
  }
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
  });
  // The assistant ends the connection by closing the input.
  process.stdin.once('end', () => void server.close());
  await server.connect(new StdioServerTransport());
  if (signal.aborted) await server.close();
  signal.addEventListener('abort', () => void server.close(), { once: true });
  await closed;
}

interface ToolCall {
  given: Arguments;
  signal: AbortSignal;
}

async function resultOf(tool: AssistantTool, kindred: Kindred, { given, signal }: ToolCall) {
  try {
    const text = JSON.stringify(await tool.run(kindred, given, signal));
    if (text.length <= MAX_RESULT_LENGTH) return { content: [{ type: 'text' as const, text }] };
    return failure(
      `The result has ${formatCount(text.length)} characters, more than ${formatCount(MAX_RESULT_LENGTH)}. Set a lower limit.`,
    );
  } catch (error) {
    return failure(error instanceof Error && !('code' in error) ? error.message : describeError(error));
  }
}

const failure = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] });

function instructionsFor({ withheld }: OfferedTools): string {
  const head = 'Kindred recommends items to users. Nothing here changes what visitors see.';
  if (withheld.length === 0) return head;
  return `${head} The API key does not cover: ${withheld.map(({ name }) => name).join(', ')}.`;
}
