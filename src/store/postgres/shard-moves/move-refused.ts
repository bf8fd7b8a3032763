// Thrown if another move is running, the shards are in several partitions, and the like. The message says what to do.
export class MoveRefused extends Error {}

/** Thrown if another server cannot be reached. */
export class ServerUnreachable extends MoveRefused {
  /** in the form host:port/database */
  readonly place: string;

  constructor(place: string, reason: string) {
    super(`Cannot reach the server ${place}: ${reason}`);
    this.place = place;
  }
}
