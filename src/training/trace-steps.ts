// The steps of a training that traces show in addition to those in its code, see ARCHITECTURE.md. Called once in a thread if tracing is on.
import { BuiltInAggregation } from '../aggregation/built-in.ts';
import { traceMethods } from '../base/trace.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';

export function traceTraining(): void {
  traceMethods(BuiltInAggregation.prototype, { cooccurrence: 'count pairs', transitions: 'count transitions' });
  traceMethods(KernelPool.prototype, { run: 'run kernel' });
}
