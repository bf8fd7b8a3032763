// Parameters of version 0.1.0 under the names and values they have now. Algorithms that were created then still train.

export interface RenamedParameters {
  readonly parameters: Record<string, unknown>;
  /** what to write instead */
  readonly warnings: readonly { readonly pointer: string; readonly message: string }[];
}

const HORIZONS: Readonly<Record<string, string>> = {
  last_item: 'browsing',
  last_fifth: 'later',
  random_fifth: 'later',
  auto: 'auto',
};

/** Leaves alone what it does not know: the parser says what is wrong with it. */
export function withCurrentNames(given: Readonly<Record<string, unknown>>): RenamedParameters {
  const parameters = { ...given };
  const warnings: RenamedParameters['warnings'][number][] = [];
  const warn = (name: string, message: string) => warnings.push({ pointer: `/algorithm_parameters/${name}`, message });
  if (typeof given.validation === 'string' && Object.hasOwn(HORIZONS, given.validation)) {
    const horizon = HORIZONS[given.validation];
    delete parameters.validation;
    parameters.horizon ??= horizon;
    warn('validation', `validation is now called horizon: "${given.validation}" is read as horizon "${horizon}".`);
  }
  if (Object.hasOwn(given, 'validation_users')) {
    delete parameters.validation_users;
    warn('validation_users', 'validation_users is no longer used: the service chooses how many users judge.');
  }
  if (given.value_weighting === 'none') {
    parameters.value_weighting = 'log';
    warn('value_weighting', 'A larger event_value always counts more now: value_weighting "none" is read as "log".');
  }
  return { parameters, warnings };
}
