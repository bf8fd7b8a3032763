// Finds where messages are stored: the datasets of the configured project.

import type { KafkaConfig, TopicKind } from '../config/kafka-config.ts';
import type { Dataset } from '../domain/dataset.ts';
import type { ReadList } from '../domain/recommendation.ts';
import { ownLists } from '../outcomes/own-lists.ts';
import { responseSecret } from '../outcomes/recommendation-id.ts';
import type { Store } from '../store/store.ts';

export interface KafkaTarget {
  readonly datasetIds: Readonly<Record<TopicKind, string>>;
  /** Reads the current dataset, because its attribute schema can change. */
  readDataset(kind: TopicKind): Promise<Dataset>;
  readonly readList: ReadList;
}

/** Throws an Error that says which setting to change. */
export async function findKafkaTarget(
  store: Pick<Store, 'accounts' | 'projects' | 'datasets'>,
  { account: name, projectId }: Pick<KafkaConfig, 'account' | 'projectId'>,
): Promise<KafkaTarget> {
  const account = await store.accounts.findByName(name);
  if (account === null) throw new Error(`There is no account "${name}". Change KINDRED_KAFKA_ACCOUNT.`);
  const accountId = account.account_id;
  const wanted = projectId ?? account.default_project_id ?? (await onlyProject(store, accountId));
  const project = wanted === null ? null : await store.projects.get(accountId, wanted);
  if (project === null) {
    throw new Error(
      wanted === null
        ? `The account "${name}" has no default project and not exactly one project. Set KINDRED_KAFKA_PROJECT.`
        : `The account "${name}" has no project ${wanted}. Change KINDRED_KAFKA_PROJECT.`,
    );
  }
  const datasetIds = { event: project.event_dataset_id, item: project.item_dataset_id, user: project.user_dataset_id };
  const readDataset = async (kind: TopicKind): Promise<Dataset> => {
    const dataset = await store.datasets.get(accountId, kind, datasetIds[kind]);
    if (dataset === null) throw new Error(`The ${kind} dataset of project ${project.project_id} was deleted.`);
    return dataset;
  };
  await Promise.all([readDataset('event'), readDataset('item'), readDataset('user')]);
  return {
    datasetIds,
    readDataset,
    readList: ownLists({ accountId, secret: await responseSecret(store.accounts) }),
  };
}

async function onlyProject({ projects }: Pick<Store, 'projects'>, accountId: string): Promise<string | null> {
  const { entries } = await projects.list(accountId, { page_size: 2, page_token: null });
  return entries.length === 1 ? entries[0].project_id : null;
}
