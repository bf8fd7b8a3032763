// The call from items to items: deployment → rate → model → catalog follows its dataset → who asks, if anybody → the list.
import { MAX_START_ITEMS } from '../domain/list-limits.ts';
import type { Objective } from '../domain/objective.ts';
import type { Relation } from '../domain/relation.ts';
import { invalidField } from '../errors.ts';
import { DEFAULT_LIMIT, type ListRequest } from '../placements/list-request.ts';
import { unknownItem } from './call-warnings.ts';
import type { LiveDeployment } from './live-deployments.ts';
import type { CallParts } from './recommend.ts';
import { responseText } from './response-text.ts';

export interface RelatedCallRequest extends ListRequest {
  readonly item_id?: string;
  readonly item_ids?: string[];
  readonly relation?: Relation;
  readonly objective?: Objective;
  readonly project_id?: string;
}

export class RelatedCall {
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** The response as JSON. `charged` is what DeployedModels.admit returned. */
  respond(accountId: string, body: RelatedCallRequest, charged: LiveDeployment | null): Promise<string | Buffer> {
    return this.#parts.rooms.within(accountId, async (room) => {
      const { item_id, item_ids, relation = 'similar', objective, project_id, ...request } = body;
      const { user_id = null, limit = DEFAULT_LIMIT, attributes = [], filter_query = null } = request;
      const itemIds = itemIdsOf(body);
      const { deployed, lists } = this.#parts;
      const live = await deployed.deploymentFor(accountId, project_id, charged);
      const kind = { kind: 'related', itemIds, relation, ...(objective && { objective }) } as const;
      const list = await lists.respond(live, { kinds: [kind], request, room });
      const { generator, recommendation_id, next_page_token } = list;
      const unknown = itemIds.filter((id) => generator.catalog.indexOf(id) < 0).map(unknownItem);
      const warnings = [...unknown, ...list.warnings];
      const head = {
        item_ids: itemIds,
        relation: list.relation,
        user_id,
        limit,
        attributes,
        filter_query,
        ...(list.objective && { objective: list.objective }),
        model_id: generator.modelId,
        recommendation_id,
        next_page_token,
        ...(warnings.length > 0 && { warnings }),
      };
      return responseText(head, list.texts, room);
    });
  }
}

/** Exactly one of the two fields may be given. */
function itemIdsOf({ item_id, item_ids }: Pick<RelatedCallRequest, 'item_id' | 'item_ids'>): string[] {
  if (item_id !== undefined && item_ids === undefined) return [item_id];
  if (item_ids !== undefined && item_id === undefined) return item_ids;
  const [pointer, message] =
    item_id === undefined
      ? ['/item_id', `is missing: give it, or item_ids with up to ${MAX_START_ITEMS} items`]
      : ['/item_ids', 'cannot be given together with item_id'];
  throw invalidField(pointer, message);
}
