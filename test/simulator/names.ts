// What every run has.
export const ACCOUNT = 'acc_1';
export const PROJECT = 'prj_1';
export const PLACEMENT = 'home';
