// The heartbeat of an API node: updates the node's row and reads those of other nodes. A node whose counter did not change for
// the lease counts as lost, and its row is later deleted. A node that was only slow writes its row again.
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { NodeState, NodeStore } from '../store/node-store.ts';
import { NODE_LEASE_MS, watchNodes } from './node-watch.ts';

const BEAT_MS = 1000;
const FORGET_MS = 15_000;

export class NodeHeart {
  readonly #nodes: NodeStore;
  readonly #nodeId: string;
  readonly #runtime: Runtime;
  readonly #gone = watchNodes(NODE_LEASE_MS);
  readonly #forgotten = watchNodes(FORGET_MS);
  #lastBeatMs = Number.NEGATIVE_INFINITY;
  #liveNodes = 1;

  constructor(nodes: NodeStore, nodeId: string, runtime: Runtime = systemRuntime) {
    this.#nodes = nodes;
    this.#nodeId = nodeId;
    this.#runtime = runtime;
  }

  /** Live nodes at the last heartbeat, including this one. */
  get liveNodes(): number {
    return this.#liveNodes;
  }

  /** True if a heartbeat is due although nothing has changed. */
  get isDue(): boolean {
    return this.#runtime.monotonicMs() - this.#lastBeatMs >= BEAT_MS;
  }

  async beat(state: NodeState): Promise<void> {
    await this.#nodes.beat(this.#nodeId, state, this.#runtime.nowMs());
    const nowMs = this.#runtime.monotonicMs();
    this.#lastBeatMs = nowMs;
    const all = await this.#nodes.list();
    this.#liveNodes = Math.max(1, all.length - this.#gone.observe(all, nowMs).length);
    for (const node of this.#forgotten.observe(all, nowMs)) await this.#nodes.removeDead(node);
  }

  /** The node accepts no more calls, so others stop waiting for it. */
  async leave(): Promise<void> {
    await this.#nodes.remove(this.#nodeId);
  }
}
