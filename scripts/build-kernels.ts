// Compiles src/kernels/assembly to build/kernels/kernels.wasm: 128-bit SIMD with relaxed fused multiply-add, on a shared memory
// that the caller brings.
import { mkdirSync, writeFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';
import { hashOfSources, SOURCES_HASH_FILE } from '../src/kernels/kernel-build.ts';
import { writeBundled } from './bundled-packages.ts';

mkdirSync('build/kernels', { recursive: true });
const sourcesHash = hashOfSources();
const { error, stderr } = await asc.main([
  'src/kernels/assembly/index.ts',
  '--outFile',
  'build/kernels/kernels.wasm',
  '--runtime',
  'stub',
  '--noAssert',
  '-O3',
  '--converge',
  '--zeroFilledMemory',
  '--importMemory',
  '--sharedMemory',
  '--initialMemory',
  '1',
  '--maximumMemory',
  '65536',
  '--enable',
  'simd',
  '--enable',
  'relaxed-simd',
  '--enable',
  'threads',
  '--enable',
  'bulk-memory',
]);
if (error) {
  process.stderr.write(`${stderr.toString()}\n${error.message}\n`);
  process.exit(1);
}
writeFileSync(`build/kernels/${SOURCES_HASH_FILE}`, String(sourcesHash));
// The compiler does not tell which parts of its standard library it compiled in.
writeBundled('kernels', ['node_modules/assemblyscript/std/assembly']);
