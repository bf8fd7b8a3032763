// Another move is under way, the shards are in several partitions, and the like. The message says what to do.
export class MoveRefused extends Error {}
