// Compiles shim.c with the system's C compiler.
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function buildShim(): string {
  const target = join(mkdtempSync(join(tmpdir(), 'kindred-shim-')), 'shim.so');
  const source = join(import.meta.dirname, 'shim.c');
  execFileSync('gcc', ['-O2', '-shared', '-fPIC', '-o', target, source, '-ldl', '-lpthread']);
  return target;
}
