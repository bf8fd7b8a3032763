// API nodes over the Database seam.
import type { Database } from '../database.ts';
import type { NodeMark, NodeState, NodeStore } from '../node-store.ts';

export class SqlNodeStore implements NodeStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async beat(nodeId: string, state: NodeState, nowMs: number): Promise<void> {
    await this.#database.atomic([
      {
        // A row that is removed and written again starts from another number, so that whoever saw the old row dead does not
        // remove the new one.
        sql: `INSERT INTO node (node_id, started_ts, heartbeat, state) VALUES (?, ?, ?, ?)
              ON CONFLICT (node_id) DO UPDATE SET heartbeat = node.heartbeat + 1, state = excluded.state`,
        params: [nodeId, nowMs, nowMs, JSON.stringify(state)],
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

  async removeDead(mark: NodeMark): Promise<void> {
    await this.#database.atomic([
      { sql: 'DELETE FROM node WHERE node_id = ? AND heartbeat = ?', params: [mark.nodeId, mark.heartbeat] },
    ]);
  }
}
