// Ids in the examples of the API's pages: one project, with the model that one of its jobs trained.
export const EXAMPLE_PROJECT_ID = 'prj_01k9zq4m2v8h3c7f5x1d0b6n9e';
export const EXAMPLE_ALGORITHM_ID = 'alg_01k9zq4m2v8h3c7f5x1d0b6n9e';
export const EXAMPLE_JOB_ID = 'job_01k9zq4m2v8h3c7f5x1d0b6n9e';
export const EXAMPLE_MODEL_ID = 'mdl_01k9zq4m2v8h3c7f5x1d0b6n9e';
