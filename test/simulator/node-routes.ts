// Routes of a node that change what all nodes serve, called without HTTP.
import type { Runtime } from '../../src/base/runtime.ts';
import type { Caller, Route } from '../../src/http/route.ts';
import { automationRoutes } from '../../src/http/routes/automation.ts';
import { type ExperimentParts, experimentRoutes } from '../../src/http/routes/experiments.ts';
import type { Store } from '../../src/store/store.ts';
import { ACCOUNT } from './names.ts';

const CALLER: Caller = { accountId: ACCOUNT, keyId: 'key_1', scopes: ['*'] };

export class NodeRoutes {
  readonly #store: Store;
  readonly #runtime: Runtime;
  readonly #followedEverywhere: ExperimentParts['followedEverywhere'];
  #routes: Map<string, Route> | null = null;

  constructor(store: Store, runtime: Runtime, followedEverywhere: ExperimentParts['followedEverywhere']) {
    this.#store = store;
    this.#runtime = runtime;
    this.#followedEverywhere = followedEverywhere;
  }

  async call<T>(path: string, body: object): Promise<T> {
    this.#routes ??= this.#declare();
    const { handler } = this.#routes.get(path)!;
    const call = { body, caller: CALLER, runtime: this.#runtime };
    return (await handler(call as Parameters<Route['handler']>[0])) as T;
  }

  /** Making the schemas takes as long as some calls, and few nodes get these calls. */
  #declare(): Map<string, Route> {
    const parts = { ...this.#store, followedEverywhere: this.#followedEverywhere };
    return new Map([...automationRoutes(parts), ...experimentRoutes(parts)].map((route) => [route.path, route]));
  }
}
