// What calls may destroy: for each kind of thing one that nothing else uses, made again when it is gone.
import type { ApiCaller } from '../support/service.ts';
import type { TasteProject } from '../support/taste-project.ts';
import type { Ids } from './api-operations.ts';

const DESTROYS = /^\/(delete|shutdown|disable|end|rollback|stop|cancel|merge)-/;

type Made = Record<string, unknown>;
type Kind = 'datasets' | 'webhook' | 'key' | 'project';

export const idsOf = (made: Made): Ids => new Map(Object.entries(made).map(([name, id]) => [name, new Set([id])]));

export class SpareThings {
  readonly #makers: Record<Kind, () => Promise<Made>>;
  readonly #spares = new Map<Kind, Ids>();

  constructor(api: ApiCaller, newProject: () => Promise<TasteProject & { model_id: string }>) {
    this.#makers = {
      datasets: async () => ({
        ...(await api.ok('POST', '/create-user-dataset', { name: 'users' })),
        ...(await api.ok('POST', '/create-item-dataset', { name: 'items' })),
        ...(await api.ok('POST', '/create-event-dataset', { name: 'events' })),
      }),
      webhook: () => api.ok('POST', '/create-webhook', { url: 'https://hooks.example/x', events: ['job.failed'] }),
      key: () => api.ok('POST', '/create-api-key', { name: 'spare' }),
      async project() {
        const made = await newProject();
        const { project_id, model_id } = made;
        const placement = await api.ok('POST', '/create-placement', { project_id, name: 'spare', kind: 'for_you' });
        const deployment = { project_id, generator_model_id: model_id };
        const { job_id } = await api.ok('POST', '/submit-deployment-job', deployment);
        return { ...made, name: placement.name, job_id };
      },
    };
  }

  /** Null: the call destroys nothing. */
  async idsFor(path: string): Promise<Ids | null> {
    if (!DESTROYS.test(path)) return null;
    const kind = kindOf(path);
    if (!this.#spares.has(kind)) this.#spares.set(kind, idsOf(await this.#makers[kind]()));
    return this.#spares.get(kind)!;
  }

  /** Once an account may have no more of a kind, calls meet the last one, which is gone. */
  async renew(path: string): Promise<void> {
    if (!DESTROYS.test(path)) return;
    const kind = kindOf(path);
    const made = await this.#makers[kind]().catch(() => null);
    if (made !== null) this.#spares.set(kind, idsOf(made));
  }
}

function kindOf(path: string): Kind {
  if (/-(user|item|event)-dataset$/.test(path)) return 'datasets';
  if (path.endsWith('-webhook')) return 'webhook';
  return path.endsWith('-api-key') ? 'key' : 'project';
}
