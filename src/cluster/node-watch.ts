// Waiting for the API nodes: those whose heart beats. A node that stands still is not waited for.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeMark, NodeProjectState, NodeStore } from '../store/node-store.ts';
import { StillnessWatch } from './stillness-watch.ts';

/** A node whose heart stood still so long counts as gone. */
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
  projectId: string;
  reached: (state: NodeProjectState) => boolean;
  /** Called after every look that was not the last; may throw to give up. */
  onLook?: (report: NodesReport, states: readonly NodeProjectState[]) => void;
  signal?: AbortSignal;
  patienceMs: number;
}

/** Resolves to true when every live node has come so far, to false when patience has run out. */
export async function waitForNodes(options: WaitForNodesOptions): Promise<boolean> {
  const watch = watchNodes(NODE_LEASE_MS);
  const startedMs = performance.now();
  for (;;) {
    options.signal?.throwIfAborted();
    const all = await options.nodes.list();
    const dead = new Set(watch.observe(all, performance.now()));
    const states = all.filter((node) => !dead.has(node)).map((node) => stateOf(node, options.projectId));
    const behind = states.filter((state) => !options.reached(state)).length;
    if (behind === 0) return true;
    options.onLook?.({ live: states.length, behind }, states);
    if (performance.now() - startedMs > options.patienceMs) return false;
    await sleep(LOOK_MS, undefined, { signal: options.signal });
  }
}

function stateOf(node: NodeMark, projectId: string): NodeProjectState {
  return node.projects[projectId] ?? { serving: 0, prepared: 0 };
}
