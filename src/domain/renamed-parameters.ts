// Maps parameters of version 0.1.0 to their current names and values, so that algorithms created then still train.

export interface RenamedParameters {
  readonly parameters: Record<string, unknown>;
  /** name what to write instead */
  readonly warnings: readonly { readonly pointer: string; readonly message: string }[];
}

const HORIZONS: Readonly<Record<string, string>> = {
  last_item: 'browsing',
  last_fifth: 'later',
  random_fifth: 'later',
  auto: 'auto',
};

/** Unknown parameters are unchanged; the parser reports them. */
export function withCurrentNames(given: Readonly<Record<string, unknown>>): RenamedParameters {
  const parameters = { ...given };
  const warnings: RenamedParameters['warnings'][number][] = [];
  const warn = (name: string, message: string) => warnings.push({ pointer: `/algorithm_parameters/${name}`, message });
  if (typeof given.validation === 'string' && Object.hasOwn(HORIZONS, given.validation)) {
    const horizon = HORIZONS[given.validation];
    delete parameters.validation;
    parameters.horizon ??= horizon;
    warn('validation', `validation was renamed to horizon. "${given.validation}" is read as horizon "${horizon}".`);
  }
  if (Object.hasOwn(given, 'validation_users')) {
    delete parameters.validation_users;
    warn('validation_users', 'validation_users is no longer used. The service chooses the number of users.');
  }
  if (given.value_weighting === 'none') {
    parameters.value_weighting = 'log';
    warn('value_weighting', 'A larger event_value now always counts more. value_weighting "none" is read as "log".');
  }
  return { parameters, warnings };
}
