// Another move is under way, the shards are in several partitions, and the like. The message says what to do.
export class MoveRefused extends Error {}

/** Another server cannot be connected to. */
export class ServerUnreachable extends MoveRefused {
  /** host:port/database */
  readonly place: string;

  constructor(place: string, reason: string) {
    super(`Cannot reach the server ${place}: ${reason}`);
    this.place = place;
  }
}
