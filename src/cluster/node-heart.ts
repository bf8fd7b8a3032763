// The heart of an API node: writes the node's row while it lives, and sees who else is alive. A node whose counter did not move
// for the lease counts as gone; one that stays gone is forgotten. A node that was only slow writes its row again.
import { performance } from 'node:perf_hooks';
import type { NodeState, NodeStore } from '../store/node-store.ts';
import { NODE_LEASE_MS, watchNodes } from './node-watch.ts';

const BEAT_MS = 1000;
const FORGET_MS = 15_000;

export class NodeHeart {
  readonly #nodes: NodeStore;
  readonly #nodeId: string;
  readonly #gone = watchNodes(NODE_LEASE_MS);
  readonly #forgotten = watchNodes(FORGET_MS);
  #lastBeatMs = Number.NEGATIVE_INFINITY;
  #liveNodes = 1;

  constructor(nodes: NodeStore, nodeId: string) {
    this.#nodes = nodes;
    this.#nodeId = nodeId;
  }

  /** How many nodes are alive, this one included, as of the last beat. */
  get liveNodes(): number {
    return this.#liveNodes;
  }

  /** True when the next beat is due although nothing has changed. */
  get isDue(): boolean {
    return performance.now() - this.#lastBeatMs >= BEAT_MS;
  }

  async beat(state: NodeState): Promise<void> {
    await this.#nodes.beat(this.#nodeId, state, Date.now());
    const nowMs = performance.now();
    this.#lastBeatMs = nowMs;
    const all = await this.#nodes.list();
    this.#liveNodes = Math.max(1, all.length - this.#gone.observe(all, nowMs).length);
    for (const node of this.#forgotten.observe(all, nowMs)) await this.#nodes.removeDead(node);
  }

  /** The node takes no more calls: nobody waits for it. */
  async leave(): Promise<void> {
    await this.#nodes.remove(this.#nodeId);
  }
}
