// Runs a program of this folder and kills it (kill -9) when it has printed a number of lines.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Returns the lines it has printed. */
export async function runUntilKilled(program: string, args: readonly string[], lines: number): Promise<string[]> {
  const file = join(import.meta.dirname, program);
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const exited = new Promise((resolve) => child.on('close', resolve));
  child.stdout.on('data', (chunk) => {
    output += chunk;
    if (output.split('\n').length > lines) child.kill('SIGKILL');
  });
  await exited;
  assert.equal(child.signalCode, 'SIGKILL', 'it ended by itself');
  // The last line may be cut off.
  return output.split('\n').slice(0, -1);
}
