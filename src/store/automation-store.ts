// Automated projects: where each is in its next round, and what was decided. Any API node may take the next step of a project. A
// step names the revision of the state it was decided on and raises it, so of two nodes one takes the step and the other finds
// that it was taken. A step that submits a job does so in the same transaction.
import type { Automation, AutomationDecision } from '../domain/automation.ts';
import type { Job } from '../domain/job.ts';
import type { Project } from '../domain/project.ts';
import type { Page, PageRequest } from './page.ts';

export interface AutomationState {
  /** 0 if nothing is stored yet */
  readonly revision: number;
  /** the newest model when it was last looked at */
  readonly model_id: string | null;
  /** start of the next interval, in milliseconds */
  readonly since_ts: number;
  /** events of the dataset that are not new */
  readonly known_events: number;
  /** the submitted training whose model is not decided on yet */
  readonly training_job_id: string | null;
  /** trainings that failed in a row */
  readonly failures: number;
  /** after failures, no training starts before this time */
  readonly not_before_ts: number;
  /** why nothing happens, if something is missing */
  readonly message: string | null;
}

export interface AutomatedProject {
  readonly project: Project & { automation: Automation };
  readonly state: AutomationState | null;
  /** number of events in the event dataset, from its counter */
  readonly events: number;
  readonly newestModelId: string | null;
}

export interface DecisionStep {
  readonly decision: AutomationDecision;
  /** the generator that served when the decision was made; null if nothing was deployed */
  readonly deployedModelId: string | null;
  readonly deployment: Job | null;
  readonly state: AutomationState;
}

/** A model that was deployed before, with its ranker. */
export interface EarlierDeployment {
  readonly generator_model_id: string;
  readonly ranker_model_id: string | null;
  /** the deployment that first brought it; what came before is older than it */
  readonly version: number;
}

export interface AutomationStore {
  /** Lists automated projects of active accounts by id, starting after the given one. */
  automated(afterProjectId: string, limit: number): Promise<AutomatedProject[]>;
  get(accountId: string, projectId: string): Promise<AutomatedProject | null>;
  /**
   * The following methods return false if another node took a step meanwhile. `state.revision` must be the revision that was
   * read.
   */
  save(project: Pick<Project, 'account_id' | 'project_id'>, state: AutomationState): Promise<boolean>;
  /** Submits the training and stores its id in the state. */
  startTraining(job: Job, state: AutomationState): Promise<boolean>;
  /**
   * Stores the decision, submits its deployment and announces a rejection. Returns false too if another deployment serves by now.
   */
  decide(step: DecisionStep): Promise<boolean>;
  decisions(accountId: string, projectId: string, page: PageRequest): Promise<Page<AutomationDecision>>;
  /** Whether a training of the project is waiting or running. */
  trains(projectId: string): Promise<boolean>;
  /**
   * The last deployment before the current one whose model still exists: the target of a roll-back. null if there is
   * none or nothing is deployed.
   */
  earlierDeployment(accountId: string, projectId: string): Promise<EarlierDeployment | null>;
  /** Whether the project ever served. */
  hasServed(projectId: string): Promise<boolean>;
  /**
   * Models of the project besides its newest `keep` that no deployment, unfinished job, placement or experiment uses; the oldest
   * last.
   */
  surplusModels(accountId: string, projectId: string, keep: number): Promise<string[]>;
}
