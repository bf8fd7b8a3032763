// The door to the shards of events on PostgreSQL: where they are, and moving them; for the command line.
export {
  type EventShards,
  type ListedPartition,
  MoveRefused,
  openEventShards,
  type ShardsToMove,
} from './postgres/event-shards.ts';
