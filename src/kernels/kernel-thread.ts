// A worker thread of the kernel pool: takes chunks of rows off the shared counter until none is left.
import { parentPort, workerData } from 'node:worker_threads';
import { instantiateKernels } from './kernel-module.ts';
import { type KernelTask, runChunks } from './kernel-task.ts';

const { module, memory, control, thread } = workerData as {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  control: Int32Array;
  thread: number;
};
const kernels = instantiateKernels(memory, module);

parentPort!.on('message', (task: KernelTask) => {
  try {
    runChunks({ kernels, memory, control, thread }, task);
    parentPort!.postMessage(null);
  } catch (error) {
    parentPort!.postMessage(error instanceof Error ? error.message : String(error));
  }
});
