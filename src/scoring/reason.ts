// What a recommendation is based on, and the terms of its score.

/** The basis of a list: the user's events, else the user's attributes, else popularity. */
export type Basis = 'history' | 'attributes' | 'popularity';

/** One term of a score. The terms of an item add up to its score. */
export type Reason =
  /** the user's event with that item led here */
  | { readonly kind: 'history'; readonly item_id: string; readonly contribution: number }
  /** the user disliked that item, which is like this one: below 0 */
  | { readonly kind: 'dislike'; readonly item_id: string; readonly contribution: number }
  | LiftReason
  | { readonly kind: 'popularity'; readonly contribution: number }
  /** boosts of the call: below 0 where they lower the item's chance */
  | { readonly kind: 'boost'; readonly contribution: number }
  /** that item of the question leads to this one */
  | { readonly kind: 'related'; readonly item_id: string; readonly contribution: number }
  /** the user's taste, among items that go with those of the question */
  | { readonly kind: 'taste'; readonly contribution: number }
  /** the user is not done with the item (`continue`) or had it before (`again`): how often, the newest event and its type */
  | {
      readonly kind: 'continue' | 'again';
      readonly item_id: string;
      readonly event_type: string;
      readonly ts: number;
      readonly count: number;
      readonly contribution: number;
    };

/** Users with that attribute value, or users in that context, like the item more (or less) than others. */
export interface LiftReason {
  readonly kind: 'user-attribute' | 'context';
  readonly attribute: string;
  readonly value: string;
  readonly contribution: number;
}
