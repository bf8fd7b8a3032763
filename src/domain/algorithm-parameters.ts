// The parameters of algorithm G1 as a developer gives them. Every one is optional: what is left out, training chooses from
// the data and reports in the model's settings. Snake case, because these go over the wire and are stored as given.

export type ExpertName = 'local_ridge' | 'sequence_ridge' | 'walk' | 'transitions' | 'low_rank' | 'popularity';

export interface AlgorithmParameters {
  /** which experts may take part; popularity always stands by for users without events */
  experts?: ExpertName[];
  /** sparse ridge regression of each item on its nearest items */
  local_ridge?: {
    /** neighbours an item, 1 to 400 */
    neighbours?: number;
    /** ridge strength relative to the mean of the gram's diagonal, > 0 */
    lambda?: number;
    /** how fast older items of a history lose weight: (l + 1)^−rho */
    rho?: number;
    /** a user with n items counts n^−gamma in the gram */
    gamma?: number;
  };
  /** random-walk item similarity */
  walk?: { gamma?: number; beta?: number; delta?: number; rho?: number };
  /** names of transition variants to consider, see docs */
  transitions?: { variants?: string[] };
  low_rank?: { factors?: number };
  /** days after which an event counts half in popularity; null: age does not matter */
  popularity?: { half_life_days?: number | null };
  /** weight, 0 to 1, of event types other than the target in gram and history */
  event_type_weights?: Record<string, number>;
  /** whether a larger event_value counts more (log-compressed) */
  value_weighting?: 'log' | 'none';
  /** at most so many newest distinct items of a user are used, 1 to 2000 */
  history_cap?: number;
  /** days after which an event counts half everywhere; null: age does not matter */
  half_life_days?: number | null;
  /** whether items a user already had may be recommended */
  repeats?: 'recommend' | 'exclude';
  /** what is held out to choose settings: each user's last item, the newest fifth, or a random fifth */
  validation?: 'last_item' | 'last_fifth' | 'random_fifth';
  /** at most so many users take part in the search for settings, 100 to 100000 */
  validation_users?: number;
  /** seconds the search for settings may take; the final fit comes on top */
  time_budget_seconds?: number;
  seed?: number;
}
