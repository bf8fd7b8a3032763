/** A known bug: a change of one place of the source, which must be there exactly once, so that one that no longer fits the code fails. */
export interface Mutation {
  readonly name: string;
  /** under src/ */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** the first seed to try: one that found it. After changes of the simulation `npm run simulate -- --mutations` prints newer ones. */
  readonly seed?: number;
}
