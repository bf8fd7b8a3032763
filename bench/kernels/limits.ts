// What the machine can do in one thread, measured by kernels that do nothing else: multiply-adds that stay in registers, bytes
// read in a row from memory of a given size, and adds at scattered places of an array of a given length.

import asc from 'assemblyscript/asc';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { type Limit, secondsOf } from './measure.ts';

const SOURCE = `
function multiplyAdds(turns: u32, left: f32, right: f32): f32 {
  const x = f32x4.splat(left), y = f32x4.splat(right);
  let a = f32x4.splat(1), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a;
  for (let n: u32 = 0; n < turns; n++) {
    a = f32x4.relaxed_madd(x, y, a); b = f32x4.relaxed_madd(x, y, b);
    c = f32x4.relaxed_madd(x, y, c); d = f32x4.relaxed_madd(x, y, d);
    e = f32x4.relaxed_madd(x, y, e); f = f32x4.relaxed_madd(x, y, f);
    g = f32x4.relaxed_madd(x, y, g); h = f32x4.relaxed_madd(x, y, h);
    i = f32x4.relaxed_madd(x, y, i); j = f32x4.relaxed_madd(x, y, j);
  }
  const sum = f32x4.add(f32x4.add(f32x4.add(f32x4.add(a, b), f32x4.add(c, d)), f32x4.add(f32x4.add(e, f), f32x4.add(g, h))), f32x4.add(i, j));
  return f32x4.extract_lane(sum, 0);
}
function sumOf(bytes: u32): i32 {
  let a = i32x4.splat(0), b = a, c = a, d = a;
  for (let at: usize = 0; at < bytes; at += 64) {
    a = i32x4.add(a, v128.load(at)); b = i32x4.add(b, v128.load(at, 16));
    c = i32x4.add(c, v128.load(at, 32)); d = i32x4.add(d, v128.load(at, 48));
  }
  return i32x4.extract_lane(i32x4.add(i32x4.add(a, b), i32x4.add(c, d)), 0);
}
function addAt(places: usize, values: usize, count: u32): void {
  for (let n: usize = 0; n < count; n++) {
    const at = <usize>load<u32>(places + (n << 2)) << 2;
    store<f32>(at, load<f32>(at) + load<f32>(values + (n << 2)));
  }
}`;

interface MicroKernels {
  multiplyAdds(turns: number, left: number, right: number): number;
  sumOf(bytes: number): number;
  addAt(places: number, values: number, count: number): void;
}

const PAGES = 2048;
const MEMORY_BYTES = PAGES * 65_536;
const READ_BYTES = 10_000_000;
const TURNS = 1_000_000;
const ADDS = 500_000;

/** Returns what can be done per second, measured at the call: next to each kernel, as the machine's pace changes. */
export async function measureLimits(): Promise<(limit: Limit, span: number) => Promise<number>> {
  const { binary, stderr } = await asc.compileString(SOURCE, {
    runtime: 'stub',
    optimizeLevel: 3,
    noAssert: true,
    enable: ['simd', 'relaxed-simd', 'threads'],
    importMemory: true,
    sharedMemory: true,
    initialMemory: PAGES,
    maximumMemory: PAGES,
  });
  if (!binary) throw new Error(stderr.toString());
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES, shared: true });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary), { env: { memory } });
  const kernels = exports as unknown as MicroKernels;
  new Uint8Array(memory.buffer).fill(1);
  const rates: Record<Limit, (span: number) => Promise<number>> = {
    'multiply-adds': async () => (TURNS * 40) / (await secondsOf(() => kernels.multiplyAdds(TURNS, 0.5, 0.001))),
    bytes: async (span) => {
      const bytes = Math.min(MEMORY_BYTES, Math.ceil(span / 64) * 64);
      const passes = Math.ceil(READ_BYTES / bytes);
      return (
        (bytes * passes) /
        (await secondsOf(() => {
          for (let n = 0; n < passes; n++) kernels.sumOf(bytes);
        }))
      );
    },
    'scattered adds': async (span) => {
      const { next: random } = seededRandom(1);
      const list = new Uint32Array(memory.buffer, MEMORY_BYTES / 2, ADDS);
      for (let n = 0; n < ADDS; n++) list[n] = Math.floor(random() * span);
      const values = list.byteOffset + ADDS * 4;
      return ADDS / (await secondsOf(() => kernels.addAt(list.byteOffset, values, ADDS)));
    },
  };
  return (limit, span) => rates[limit](span);
}
