// What has changed in the database since the last look, so that checks read only that. The database calls it from triggers.
export class StoreChanges {
  readonly jobs = new Set<string>();
  readonly deployments = new Set<number>();
  readonly models = new Set<string>();
  readonly experiments = new Set<string>();
  /** trainings that automation has decided on */
  readonly decisions = new Set<string>();
  /** deliveries to webhooks that are gone */
  readonly deliveries = new Set<string>();
  /** nodes whose row was deleted */
  readonly removedNodes: string[] = [];
  readonly deletedFiles: string[] = [];
  /** when the heartbeat of a job or node was last stored */
  readonly beatMs = new Map<string, number>();
  readonly #rows: readonly Set<unknown>[];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    const { jobs, deployments, models, experiments, decisions, deliveries } = this;
    this.#rows = [jobs, deployments, models, experiments, decisions, deliveries];
    this.#nowMs = nowMs;
  }

  get isEmpty(): boolean {
    return this.#rows.every(({ size }) => size === 0) && this.removedNodes.length + this.deletedFiles.length === 0;
  }

  clear(): void {
    for (const changed of this.#rows) changed.clear();
    this.removedNodes.length = 0;
    this.deletedFiles.length = 0;
  }

  note(what: string, id: string | number): void {
    if (what === 'beat') this.beatMs.set(String(id), this.#nowMs());
    else if (what === 'job') this.jobs.add(String(id));
    else if (what === 'deployment') this.deployments.add(Number(id));
    else if (what === 'experiment') this.experiments.add(String(id));
    else if (what === 'decision') this.decisions.add(String(id));
    else if (what === 'delivery') this.deliveries.add(String(id));
    else if (what === 'node removed') this.removedNodes.push(String(id));
    else this.models.add(String(id));
  }
}

/** As triggers: `changed(what, id)` is `note` of the run that the database belongs to. */
export const CHANGE_TRIGGERS = `
CREATE TEMP TRIGGER job_new AFTER INSERT ON job BEGIN SELECT changed('job', NEW.job_id); END;
CREATE TEMP TRIGGER job_changed AFTER UPDATE ON job
  WHEN OLD.job_status <> NEW.job_status OR OLD.retry_count <> NEW.retry_count OR OLD.attempt <> NEW.attempt
    OR OLD.job_result IS NOT NEW.job_result OR OLD.finished_ts IS NOT NEW.finished_ts
  BEGIN SELECT changed('job', NEW.job_id); END;
CREATE TEMP TRIGGER job_gone AFTER DELETE ON job BEGIN SELECT changed('job', OLD.job_id); END;
CREATE TEMP TRIGGER job_beaten AFTER UPDATE OF heartbeat ON job
  WHEN OLD.heartbeat <> NEW.heartbeat BEGIN SELECT changed('beat', NEW.job_id); END;
CREATE TEMP TRIGGER deployment_new AFTER INSERT ON deployment BEGIN SELECT changed('deployment', NEW.version); END;
CREATE TEMP TRIGGER deployment_changed AFTER UPDATE ON deployment BEGIN SELECT changed('deployment', NEW.version); END;
CREATE TEMP TRIGGER model_new AFTER INSERT ON model BEGIN SELECT changed('model', NEW.model_id); END;
CREATE TEMP TRIGGER model_deleted AFTER DELETE ON model BEGIN SELECT changed('model', OLD.model_id); END;
CREATE TEMP TRIGGER experiment_new AFTER INSERT ON experiment
  BEGIN SELECT changed('experiment', NEW.experiment_id); END;
CREATE TEMP TRIGGER experiment_changed AFTER UPDATE ON experiment
  BEGIN SELECT changed('experiment', NEW.experiment_id); END;
CREATE TEMP TRIGGER decided AFTER INSERT ON automation_decision
  BEGIN SELECT changed('decision', NEW.training_job_id); END;
CREATE TEMP TRIGGER delivery_gone AFTER DELETE ON webhook_delivery BEGIN SELECT changed('delivery', OLD.delivery_id); END;
CREATE TEMP TRIGGER node_new AFTER INSERT ON node BEGIN SELECT changed('beat', NEW.node_id); END;
CREATE TEMP TRIGGER node_beaten AFTER UPDATE ON node BEGIN SELECT changed('beat', NEW.node_id); END;
CREATE TEMP TRIGGER node_removed AFTER DELETE ON node BEGIN SELECT changed('node removed', OLD.node_id); END;`;
