// Limits of lists that calls, jobs, the command line and the console share.

/** Most items of a list, of a call and of a job. */
export const MAX_LIST_ITEMS = 500;
/** Most items that a list of related items starts from. */
export const MAX_START_ITEMS = 50;
/** Most items that a call gives to be put in order. */
export const MAX_RANKED_ITEMS = 1000;
