// G1's parameters, described once: types, validation, the OpenAPI schema and the docs are made from this table.
// Every parameter is optional. Training chooses missing and "auto" ones from the data and reports them in the model's settings.
// Snake case, because the names are part of the API and stored as given.

export type ParameterSpec =
  /** with `unlimited`, null is a valid value */
  | {
      readonly kind: 'integer' | 'number';
      readonly min: number;
      readonly max: number;
      readonly unlimited?: true;
      readonly description: string;
    }
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly description: string }
  | { readonly kind: 'list'; readonly values: readonly string[]; readonly description: string }
  /** names chosen by the developer → numbers */
  | { readonly kind: 'map'; readonly min: number; readonly max: number; readonly description: string }
  | { readonly kind: 'group'; readonly fields: ParameterTable; readonly description: string };

export interface ParameterTable {
  readonly [name: string]: ParameterSpec;
}

/** Has the same effect as omitting the parameter. */
export const AUTO = 'auto';
export const EXPERT_NAMES = ['local_ridge', 'walk', 'transitions', 'low_rank', 'popularity'] as const;
export const TRANSITION_VARIANTS = ['mk1', 'mk2-4', 'mk5-10', 'mk.75', 'forward', '1/lag', 'window'] as const;

const RHO = {
  kind: 'number',
  min: 0,
  max: 3,
  description:
    'How fast older items of a history lose weight: the l-th newest counts (l + 1)^-rho; with 0 all count the same.',
} as const;
const GAMMA = { kind: 'number', min: 0, max: 2, description: 'A user with n items counts n^-gamma.' } as const;

export const G1_PARAMETERS = {
  experts: {
    kind: 'list',
    values: EXPERT_NAMES,
    description: 'Which experts may be used; popularity is always available for users without events.',
  },
  local_ridge: {
    kind: 'group',
    description: 'Sparse ridge regression of each item on its nearest items.',
    fields: {
      neighbours: {
        kind: 'integer',
        min: 1,
        max: 400,
        description: 'How many nearest items each item is regressed on; auto uses all items of catalogs up to 4,000.',
      },
      lambda: {
        kind: 'number',
        min: 0.001,
        max: 1000,
        description: "Strength of the ridge relative to the mean of the gram's diagonal.",
      },
      rho: RHO,
      gamma: GAMMA,
    },
  },
  walk: {
    kind: 'group',
    description: 'Damped two-step walk from item to user to item.',
    fields: {
      gamma: GAMMA,
      beta: { kind: 'number', min: 0, max: 2, description: 'Damps popular items of the history by count^-beta.' },
      delta: {
        kind: 'number',
        min: 0,
        max: 2,
        description: 'Damps popular recommended items by count^-delta.',
      },
      rho: RHO,
    },
  },
  transitions: {
    kind: 'group',
    description: "Which items follow which in the users' sequences.",
    fields: {
      variants: {
        kind: 'list',
        values: TRANSITION_VARIANTS,
        description: 'How pairs further apart in a sequence are weighted; each variant is one expert.',
      },
    },
  },
  low_rank: {
    kind: 'group',
    description: 'Compares items in the few directions in which tastes differ most.',
    fields: { factors: { kind: 'integer', min: 4, max: 256, description: 'Number of directions.' } },
  },
  popularity: {
    kind: 'group',
    description: 'Popularity, with recent events counting more.',
    fields: {
      half_life_days: {
        kind: 'number',
        min: 0.01,
        max: 36_500,
        unlimited: true,
        description: 'Days after which an event counts half in popularity; null for no decay.',
      },
    },
  },
  event_type_weights: {
    kind: 'map',
    min: 0,
    max: 1,
    description: 'Weight of event types other than the target type, which has 1. Auto chooses for types not listed.',
  },
  value_weighting: {
    kind: 'choice',
    values: ['log', 'linear', 'relative'],
    description:
      "How much more a larger event_value counts: by its logarithm, in proportion up to 10 ordinary values, or relative to the user's own mean (ratings).",
  },
  history_cap: {
    kind: 'integer',
    min: 1,
    max: 2000,
    description: 'Up to this many newest distinct items of a user are used, in training and in serving.',
  },
  half_life_days: {
    kind: 'number',
    min: 0.01,
    max: 36_500,
    unlimited: true,
    description: 'Days after which an event counts half everywhere; null for no decay.',
  },
  repeats: {
    kind: 'choice',
    values: ['recommend', 'exclude'],
    description: 'Whether items a user already had a target event with may be recommended again.',
  },
  horizon: {
    kind: 'choice',
    values: ['arriving', 'browsing', 'later'],
    description:
      'What the model predicts: the next visit of an arriving user, the next item of a browsing user, or the weeks after (mailings). Auto: arriving and browsing if the data has visits, else the next item.',
  },
  time_budget_seconds: {
    kind: 'number',
    min: 1,
    max: 86_400,
    description:
      'Seconds for the search of settings; the final fit comes on top. Without it the amount of work is bounded instead, and the model does not depend on the load of the machine.',
  },
  seed: {
    kind: 'integer',
    min: 0,
    max: 4_294_967_295,
    description: 'Same data, parameters and seed give the same model.',
  },
} as const satisfies ParameterTable;

type Value<S> = S extends { kind: 'group'; fields: infer F }
  ? { [K in keyof F]?: Value<F[K]> }
  : S extends { kind: 'choice'; values: readonly (infer V)[] }
    ? V
    : S extends { kind: 'list'; values: readonly (infer V)[] }
      ? V[]
      : S extends { kind: 'map' }
        ? Record<string, number>
        : S extends { unlimited: true }
          ? number | null
          : number;

/** The parameters given; auto chooses missing ones. */
export type AlgorithmParameters = { [K in keyof typeof G1_PARAMETERS]?: Value<(typeof G1_PARAMETERS)[K]> };
export type TransitionVariant = (typeof TRANSITION_VARIANTS)[number];
