// The purpose of a recommendation. A call names one; `auto` lets the model choose.

export const OBJECTIVES = ['auto', 'discover', 'continue', 'again', 'any'] as const;

export type Objective = (typeof OBJECTIVES)[number];

/** The objective a list was made for. */
export type UsedObjective = Exclude<Objective, 'auto'>;

/** An event other than a target event is ignored after this many days. */
export const DEFAULT_TOUCH_DAYS = 90;
export const MAX_TOUCH_DAYS = 36_500;
