// Loads the compiled kernels and gives them their typed face.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findKernels, KERNELS_FILE, requireCurrentKernels } from './kernel-build.ts';

/** Every kernel takes numbers (pointers, counts, scalars); the last three of a row kernel are from, to and scratch. */
export type Kernel = (...args: number[]) => number;
export type KernelName =
  | 'cooccurrenceRows'
  | 'transitionRows'
  | 'visitRows'
  | 'localRidgeRows'
  | 'selectTop'
  | 'scaleSelectRows'
  | 'projectRows'
  | 'subtractProducts'
  | 'sumUp'
  | 'scoreHistory'
  | 'topItems'
  | 'bestOfAll'
  | 'itemsAbove'
  | 'allItems'
  | 'clearScores'
  | 'collectCandidates'
  | 'bestRanked'
  | 'rankGiven'
  | 'gatherFeatures'
  | 'choiceGradient'
  | 'recommendUsers'
  | 'nearestCentroids'
  | 'squaredDistances'
  | 'tasteVectors'
  | 'usageBase'
  | 'usageUsers'
  | 'rowsTimesDense'
  | 'columnsTimesDense'
  | 'gramOfTall'
  | 'tallTimesUpper';
export type Kernels = Readonly<Record<KernelName, Kernel>>;

let compiled: WebAssembly.Module | null = null;

export function kernelModule(): WebAssembly.Module {
  if (compiled) return compiled;
  if (typeof SharedArrayBuffer === 'undefined') {
    throw new Error(
      'Kindred needs shared memory (SharedArrayBuffer) to train and score; this Node has it switched off.',
    );
  }
  requireCurrentKernels();
  const bytes = readFileSync(join(findKernels(), KERNELS_FILE));
  try {
    compiled = new WebAssembly.Module(bytes);
  } catch (cause) {
    throw new Error(
      `Kindred needs WebAssembly with 128-bit SIMD, relaxed SIMD and threads to train and score; ${process.arch} Node ${process.version} refused the kernels.`,
      { cause },
    );
  }
  return compiled;
}

export function instantiateKernels(memory: WebAssembly.Memory, module: WebAssembly.Module = kernelModule()): Kernels {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernels;
}
