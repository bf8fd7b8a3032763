// API nodes and what each of them serves. A node writes its row before it responds to its first call and at every heartbeat, so
// a deployment job can wait for all of them. As with leases no clock is compared: whoever waits times with its own monotonic
// clock how long a node's counter did not move.

/** The state of one project on a node, as the node reports it. */
export interface NodeProjectState {
  /** version of the deployment that serves calls; 0 = none */
  serving: number;
  /** newest version that is loaded and ready to switch to */
  prepared: number;
  /** why a version cannot be loaded */
  failed?: { version: number; message: string };
}

export interface NodeState {
  /** the newest epoch of deployments the node has followed (deployment-store.ts); a node of version 0.1.0 reports none */
  epoch?: number;
  projects: Record<string, NodeProjectState>;
}

export interface NodeMark extends NodeState {
  readonly nodeId: string;
  readonly heartbeat: number;
}

export interface NodeStore {
  /** Writes the node's row and raises its heartbeat. */
  beat(nodeId: string, state: NodeState, nowMs: number): Promise<void>;
  list(): Promise<NodeMark[]>;
  remove(nodeId: string): Promise<void>;
  /** Removes a node that was seen dead, if it has not come back. */
  removeDead(mark: NodeMark): Promise<void>;
}
