// Given items in the order for a user. Last, without a score, come items that the user dislikes, then those that are unknown or
// deleted, each in the order given; where the call has a filter the latter are left out, because they cannot meet it.
import type { Objective } from '../domain/objective.ts';
import type { ListRequest } from '../placements/list-request.ts';
import { describe } from './item-texts.ts';
import type { LiveDeployment } from './live-deployments.ts';
import { type CallParts, missingUser } from './recommend.ts';
import { responseText, unscoredText } from './response-text.ts';

export interface RankRequest extends Omit<ListRequest, 'limit' | 'explain'> {
  readonly item_ids: readonly string[];
  readonly objective?: Objective;
  readonly project_id?: string;
}

export class RankCall {
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** The response as JSON. `charged` is what DeployedModels.admit returned. */
  respond(accountId: string, body: RankRequest, charged: LiveDeployment | null): Promise<string | Buffer> {
    return this.#parts.rooms.within(accountId, async (room) => {
      const { item_ids, objective, project_id, ...fields } = body;
      const { user_id = null, attributes = [], filter_query = null } = fields;
      if (user_id === null && fields.session_events === undefined) throw missingUser();
      const itemIds = [...new Set(item_ids)];
      const { deployed, lists } = this.#parts;
      const live = await deployed.deploymentFor(accountId, project_id, charged);
      const request = { ...fields, limit: itemIds.length };
      const kind = { kind: 'given', itemIds, ...(objective && { objective }) } as const;
      const list = await lists.respond(live, { kinds: [kind], request, showsScores: true, room });
      const { generator, recommendation_id, warnings } = list;
      const last = filter_query ? [] : list.unranked.map((id) => unknownText(id, attributes));
      const head = {
        user_id,
        attributes,
        filter_query,
        ...(list.objective && { objective: list.objective }),
        model_id: generator.modelId,
        recommendation_id,
        next_page_token: null,
        ...(warnings.length > 0 && { warnings }),
      };
      return responseText(head, [...list.texts, ...last], room);
    });
  }
}

function unknownText(itemId: string, attributes: readonly string[]): string {
  const nothing = { itemId: () => itemId, attribute: () => null };
  return unscoredText(JSON.stringify(describe(nothing, 0, attributes)));
}
