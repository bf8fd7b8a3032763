// Waits for all live API nodes. A node without heartbeats is not waited for.
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { NodeMark, NodeProjectState, NodeStore } from '../store/node-store.ts';
import { StillnessWatch } from './stillness-watch.ts';

/** A node without a heartbeat for this long counts as lost. */
export const NODE_LEASE_MS = 5000;
const LOOK_MS = 100;

export function watchNodes(limitMs: number): StillnessWatch<NodeMark> {
  return new StillnessWatch(
    limitMs,
    (node) => node.nodeId,
    (node) => node.heartbeat,
  );
}

export interface NodesReport {
  live: number;
  behind: number;
}

export interface WaitForNodesOptions {
  nodes: NodeStore;
  reached: (node: NodeMark) => boolean;
  /** Called after every poll but the last; may throw to give up. */
  onLook?: (report: NodesReport, live: readonly NodeMark[]) => void;
  signal?: AbortSignal;
  patienceMs: number;
  runtime?: Runtime;
}

/** Resolves to true when every live node has reached the state, or to false at the time limit. */
export async function waitForNodes(options: WaitForNodesOptions): Promise<boolean> {
  const { runtime = systemRuntime } = options;
  const watch = watchNodes(NODE_LEASE_MS);
  const startedMs = runtime.monotonicMs();
  for (;;) {
    options.signal?.throwIfAborted();
    const all = await options.nodes.list();
    const dead = new Set(watch.observe(all, runtime.monotonicMs()));
    const live = all.filter((node) => !dead.has(node));
    const behind = live.filter((node) => !options.reached(node)).length;
    if (behind === 0) return true;
    options.onLook?.({ live: live.length, behind }, live);
    if (runtime.monotonicMs() - startedMs > options.patienceMs) return false;
    await runtime.sleep(LOOK_MS, options.signal);
  }
}

export function projectStateOf(node: NodeMark, projectId: string): NodeProjectState {
  return node.projects[projectId] ?? { serving: 0, prepared: 0 };
}
