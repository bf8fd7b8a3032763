// The recommendation call: from a user's id to items. Everything is read as it is now: the deployment from this node's table,
// the user's events and the items' attributes from the store.
//
//   deployment → rate → models (loaded if need be) → catalog follows its dataset → the user's ranking → attributes
import type { Objective } from '../domain/objective.ts';
import { type AppError, invalidField } from '../errors.ts';
import { DEFAULT_LIMIT, type ListRequest } from '../placements/list-request.ts';
import type { CallRooms } from './call-room.ts';
import type { DeployedModels } from './deployed-models.ts';
import type { ListResponses } from './list-responses.ts';
import type { LiveDeployment } from './live-deployments.ts';
import { responseText } from './response-text.ts';

export interface RecommendRequest extends ListRequest {
  readonly project_id?: string;
  readonly objective?: Objective;
}

export interface CallParts {
  readonly deployed: DeployedModels;
  readonly lists: ListResponses;
  readonly rooms: CallRooms;
}

export class RecommendCall {
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** The response as JSON. `charged` is what DeployedModels.admit returned. */
  respond(accountId: string, body: RecommendRequest, charged: LiveDeployment | null): Promise<string | Buffer> {
    return this.#parts.rooms.within(accountId, async (room) => {
      const { project_id, objective = 'auto', ...request } = body;
      const { user_id = null, limit = DEFAULT_LIMIT, attributes = [], filter_query = null } = request;
      if (user_id === null && request.session_events === undefined) throw missingUser();
      const { deployed, lists } = this.#parts;
      const live = await deployed.deploymentFor(accountId, project_id, charged);
      const list = await lists.respond(live, { kinds: [{ kind: 'user', objective }], request, room });
      const { warnings, generator, recommendation_id, next_page_token } = list;
      const head = {
        user_id,
        limit,
        attributes,
        filter_query,
        objective: list.objective,
        model_id: generator.modelId,
        recommendation_id,
        next_page_token,
        warnings: warnings.length > 0 ? warnings : undefined,
      };
      return responseText(head, list.texts, room);
    });
  }
}

export function missingUser(): AppError {
  const message = 'is missing: give it, or session_events of a visitor without an id ([] for a new one)';
  return invalidField('/user_id', message);
}
