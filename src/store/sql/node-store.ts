// API nodes and what each of them serves. A node writes its row before it answers its first call and at every heartbeat, so a
// deployment job can wait for all of them. As with leases no clock is compared: whoever waits times with its own monotonic
// clock how long a node's counter stood still.
import type { Database } from '../database.ts';

/** What a node reports of one project. */
export interface NodeProjectState {
  /** version of the deployment calls are answered with; 0 = none */
  serving: number;
  /** newest version that is loaded and could be switched to */
  prepared: number;
  /** why a version cannot be loaded */
  failed?: { version: number; message: string };
}

export interface NodeState {
  projects: Record<string, NodeProjectState>;
}

export interface NodeMark extends NodeState {
  readonly nodeId: string;
  readonly heartbeat: number;
}

export class NodeStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Writes the node's row and raises its heartbeat. */
  async beat(nodeId: string, state: NodeState, nowMs: number): Promise<void> {
    await this.#database.atomic([
      {
        sql: `INSERT INTO node (node_id, started_ts, heartbeat, state) VALUES (?, ?, 1, ?)
              ON CONFLICT (node_id) DO UPDATE SET heartbeat = node.heartbeat + 1, state = excluded.state`,
        params: [nodeId, nowMs, JSON.stringify(state)],
      },
    ]);
  }

  async list(): Promise<NodeMark[]> {
    const rows = await this.#database.all('SELECT node_id, heartbeat, state FROM node ORDER BY node_id');
    return rows.map((row) => ({
      ...(JSON.parse(String(row.state)) as NodeState),
      nodeId: String(row.node_id),
      heartbeat: Number(row.heartbeat),
    }));
  }

  async remove(nodeId: string): Promise<void> {
    await this.#database.atomic([{ sql: 'DELETE FROM node WHERE node_id = ?', params: [nodeId] }]);
  }

  /** Removes a node that was seen dead, if it has not come back. */
  async removeDead(mark: NodeMark): Promise<void> {
    await this.#database.atomic([
      { sql: 'DELETE FROM node WHERE node_id = ? AND heartbeat = ?', params: [mark.nodeId, mark.heartbeat] },
    ]);
  }
}
