// Models in memory, by need: loaded when a call or a deployment asks, dropped least recently used first when together they
// hold more than the budget. Models over one item dataset share one live catalog, which goes with the last of them, or, where
// calls without a model use it, when it was not used for longest.
// A catalog with more deleted items than stored ones is replaced, together with its models (worn-catalogs.ts).
//
// A call holds what it took until its response is made, so dropping is only forgetting: the memory is free when the last call
// that uses it has ended. One model larger than the whole budget is still served, alone.
import { ArtifactError } from '../artifact/format.ts';
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { Catalog } from '../catalog/catalog.ts';
import { modelNotFound } from '../domain/not-found.ts';
import { TouchReader } from '../placements/touch-reader.ts';
import type { Recommender } from '../scoring/recommender.ts';
import { BlobNotFound, type BlobStore } from '../store/blob-store.ts';
import type { Store } from '../store/store.ts';
import { CatalogFollower } from './catalog-follower.ts';
import { WornCatalogs } from './worn-catalogs.ts';

/** Most bytes for the ids of models that cannot be read. */
const UNREADABLE_BYTES = 256 * 1024;

/** Most catalogs kept that no model uses. */
const MAX_OWN_USE = 100;

/** Model, project and account: an id alone is not enough, because callers may send ids of other accounts' models. */
export interface ModelName {
  readonly accountId: string;
  readonly projectId: string;
  readonly modelId: string;
}

/** A model that is loaded. */
export interface ServableModel extends ModelName {
  /** number of this load, unique in this process */
  readonly loadNo: number;
  readonly recommender: Recommender;
  readonly touches: TouchReader;
  readonly catalog: Catalog;
  readonly follower: CatalogFollower;
}

/** A recommender and the bytes of its file, which stay in memory next to what the recommender itself holds. */
export interface LoadedRecommender {
  readonly recommender: Recommender;
  readonly fileBytes: number;
}

/** Loads a model file as a recommender over a catalog. */
export type LoadRecommender = (file: string, catalog: Catalog) => Promise<LoadedRecommender>;

/** Thrown if the model cannot be served. The message is for the client's developer. */
export class ModelUnavailable extends Error {}

interface Entry extends ServableModel {
  readonly artifactKey: string;
  readonly fileBytes: number;
  readonly itemDatasetId: string;
}

type StoredModel = Pick<Entry, keyof ModelName | 'artifactKey' | 'itemDatasetId'>;

export interface ModelCacheParts {
  store: Store;
  blobs: BlobStore;
  loadRecommender: LoadRecommender;
  budgetBytes: number;
  /**
   * A catalog with more deleted items than twice this, and than twice its stored ones, is replaced together with its models. Left out:
   * none is, so all models of a dataset share one catalog as long as any of them is in memory.
   */
  leastDeleted?: number;
  /** Called if a catalog could not be replaced. It is tried again later. */
  onError?(error: unknown): void;
}

export class ModelCache {
  readonly budgetBytes: number;
  readonly #store: Store;
  readonly #blobs: BlobStore;
  readonly #loadRecommender: LoadRecommender;
  /** Least recently used first: a Map keeps the order of insertion, and each use inserts the entry again. */
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<ServableModel>>();
  readonly #catalogs = new Map<string, CatalogFollower>();
  /** catalogs that calls without a model use, least recently used first */
  readonly #ownUse = new Set<string>();
  readonly #worn: WornCatalogs;
  /** models whose file was missing or damaged when it was last read */
  readonly #unreadable = new BoundedCache<string, true>({
    name: 'unreadable_models',
    maxBytes: UNREADABLE_BYTES,
    bytesOf: (_, modelId) => textBytes(modelId),
  });
  #newest: Entry | undefined;
  loads = 0;
  drops = 0;

  constructor({ store, blobs, loadRecommender, budgetBytes, leastDeleted, onError = () => {} }: ModelCacheParts) {
    this.#store = store;
    this.#blobs = blobs;
    this.#loadRecommender = loadRecommender;
    this.budgetBytes = budgetBytes;
    this.#worn = new WornCatalogs({
      leastDeleted: leastDeleted ?? null,
      replace: (worn, signal) => this.#replaceCatalog(worn, signal),
      onError,
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the model if it is in memory. */
  get(name: ModelName): ServableModel | undefined {
    if (this.#newest && isSame(this.#newest, name)) return this.#newest;
    const entry = this.#entries.get(keyOf(name));
    if (entry) this.#use(entry);
    return entry;
  }

  /** Returns the model and loads it if needed. Calls that wait for the same model share one load. Throws MODEL_NOT_FOUND. */
  load(name: ModelName): Promise<ServableModel> {
    const present = this.get(name);
    if (present) return Promise.resolve(present);
    const key = keyOf(name);
    let loading = this.#loading.get(key);
    if (!loading) {
      loading = this.#loadNow(name).finally(() => {
        this.#loading.delete(key);
        this.#trim();
      });
      this.#loading.set(key, loading);
    }
    return loading;
  }

  /** Returns the catalog of an item dataset, for calls without a model. */
  async catalogOf(accountId: string, itemDatasetId: string): Promise<CatalogFollower> {
    const follower = this.#catalogs.get(itemDatasetId) ?? (await this.#currentCatalog(accountId, itemDatasetId));
    const isNew = !this.#ownUse.delete(itemDatasetId);
    this.#ownUse.add(itemDatasetId);
    if (isNew) this.#trim();
    return follower;
  }

  /** Whether the model's file was missing or damaged when it was last read. */
  isUnreadable(modelId: string): boolean {
    return this.#unreadable.peek(modelId) !== undefined;
  }

  async #loadOver(follower: CatalogFollower, stored: StoredModel): Promise<Entry> {
    const { accountId, projectId, modelId, itemDatasetId, artifactKey } = stored;
    const file = await this.#blobs.localFile(artifactKey);
    await follower.follow();
    const { catalog } = follower;
    const { recommender, fileBytes } = await this.#loadRecommender(file, catalog);
    return {
      loadNo: ++this.loads,
      accountId,
      projectId,
      modelId,
      artifactKey,
      itemDatasetId,
      recommender,
      touches: new TouchReader(catalog, recommender.objectives),
      fileBytes,
      catalog,
      follower,
    };
  }

  /**
   * Loads a new catalog and its models while the old ones serve, then exchanges all of them at once. Calls in progress keep what they
   * have.
   */
  async #replaceCatalog(worn: CatalogFollower, signal: AbortSignal): Promise<void> {
    const { datasetId, attributeSchema } = worn.catalog;
    const follower = this.#newFollower(datasetId, signal);
    follower.catalog.takeSchema(attributeSchema);
    const loaded = new Map<Entry, Entry>();
    const isInUse = (entry: Entry) => this.#entries.get(keyOf(entry)) === entry;
    const notLoaded = () =>
      [...this.#entries.values()].filter((entry) => entry.follower === worn && !loaded.has(entry));
    do {
      if (this.#catalogs.get(datasetId) !== worn) return;
      signal.throwIfAborted();
      for (const entry of notLoaded()) {
        const other = await this.#loadOver(follower, entry).catch((error) => {
          // Deleted or dropped meanwhile.
          if (isInUse(entry)) throw error;
        });
        signal.throwIfAborted();
        if (other) loaded.set(entry, other);
      }
      // Changes since then: the next calls need not wait for them.
      await follower.follow();
      for (const { recommender } of loaded.values()) await recommender.settle();
    } while (notLoaded().length > 0 || this.#catalogs.get(datasetId) !== worn);
    follower.catalog.takeSchema(worn.catalog.attributeSchema);
    this.#catalogs.set(datasetId, follower);
    for (const [entry, other] of loaded) {
      if (!isInUse(entry)) continue;
      // A Map keeps the place of a key that it has.
      this.#entries.set(keyOf(entry), other);
      if (entry === this.#newest) this.#newest = other;
    }
    this.#trim();
  }

  #newFollower(itemDatasetId: string, signal?: AbortSignal): CatalogFollower {
    const onChange = (changed: CatalogFollower) => this.#worn.changed(changed);
    return new CatalogFollower(new Catalog(itemDatasetId), this.#store.items, onChange, signal);
  }

  /** Removes deleted models from memory. */
  async forgetDeleted(): Promise<void> {
    await this.#forgetDeleted([...this.#entries.values()]);
    this.#dropUnusedCatalogs();
  }

  memoryBytes(): number {
    let bytes = 0;
    for (const { recommender, touches, fileBytes } of this.#entries.values()) {
      bytes += fileBytes + recommender.memoryBytes() + touches.memoryBytes();
    }
    for (const { catalog, texts } of this.#catalogs.values()) bytes += catalog.memoryBytes() + texts.bytes;
    return bytes;
  }

  /** Ends the replacement of a catalog, between two steps. */
  stop(): Promise<void> {
    return this.#worn.stop();
  }

  /** Resolves when no catalog is being replaced. */
  settled(): Promise<void> {
    return this.#worn.settled();
  }

  async #loadNow({ accountId, projectId, modelId }: ModelName): Promise<ServableModel> {
    const [model, project] = await Promise.all([
      this.#store.models.get(accountId, projectId, modelId),
      this.#store.projects.get(accountId, projectId),
    ]);
    if (model === null || project === null) throw modelNotFound(projectId, modelId);
    const itemDatasetId = project.item_dataset_id;
    const stored: StoredModel = { accountId, projectId, modelId, itemDatasetId, artifactKey: model.artifact_key };
    try {
      let entry: Entry;
      // Repeats if the catalog was replaced meanwhile: models that make a list together need the same one.
      do entry = await this.#loadOver(await this.#currentCatalog(accountId, itemDatasetId), stored);
      while (this.#catalogs.get(itemDatasetId) !== entry.follower);
      this.#use(entry);
      // The model may have been deleted while it was loaded. Deletions from now on find it in memory.
      const [deleted] = await this.#forgetDeleted([entry]).catch((error) => {
        this.#forget(entry);
        throw error;
      });
      if (deleted) throw modelNotFound(projectId, modelId);
      this.#unreadable.delete(modelId);
      return entry;
    } catch (error) {
      if (error instanceof BlobNotFound || error instanceof ArtifactError) this.#unreadable.set(modelId, true);
      if (error instanceof BlobNotFound) throw new ModelUnavailable(`The file of model ${modelId} is missing.`);
      if (error instanceof ArtifactError)
        throw new ModelUnavailable(`The file of model ${modelId} cannot be used: it is ${error.reason}.`);
      throw error;
    }
  }

  /** Removes deleted models from memory and returns them. */
  async #forgetDeleted(entries: readonly Entry[]): Promise<Entry[]> {
    const there = await this.#store.models.existing(entries.map(({ modelId }) => modelId));
    const deleted = entries.filter(({ modelId }) => !there.has(modelId));
    for (const entry of deleted) this.#forget(entry);
    return deleted;
  }

  #forget(entry: Entry): void {
    this.#entries.delete(keyOf(entry));
    if (entry === this.#newest) this.#newest = undefined;
  }

  /**
   * Uses the current attribute schema of the dataset, so that all nodes that load a model make the same lists, however
   * long they run.
   */
  async #currentCatalog(accountId: string, itemDatasetId: string): Promise<CatalogFollower> {
    const dataset = await this.#store.datasets.get(accountId, 'item', itemDatasetId);
    const known = this.#catalogs.get(itemDatasetId);
    const follower = known ?? this.#newFollower(itemDatasetId);
    follower.catalog.takeSchema(dataset?.attribute_schema ?? null);
    this.#catalogs.set(itemDatasetId, follower);
    return follower;
  }

  #use(entry: Entry): void {
    const key = keyOf(entry);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#newest = entry;
  }

  /** Removes entries above the budget, but never the one used last; then catalogs that nobody uses. */
  #trim(): void {
    for (const itemDatasetId of this.#ownUse) {
      const isOver = this.#ownUse.size > MAX_OWN_USE || this.memoryBytes() > this.budgetBytes;
      if (this.#ownUse.size === 1 || !isOver) break;
      this.#ownUse.delete(itemDatasetId);
      this.#dropUnusedCatalogs();
    }
    for (const [key, entry] of this.#entries) {
      if (entry === this.#newest || this.memoryBytes() <= this.budgetBytes) break;
      this.#entries.delete(key);
      this.drops++;
      this.#dropUnusedCatalogs();
    }
    this.#dropUnusedCatalogs();
  }

  #dropUnusedCatalogs(): void {
    // A model that is being loaded will use its catalog, so catalogs stay.
    if (this.#loading.size > 0) return;
    const used = new Set([...this.#entries.values()].map((entry) => entry.itemDatasetId));
    for (const itemDatasetId of this.#catalogs.keys()) {
      if (!used.has(itemDatasetId) && !this.#ownUse.has(itemDatasetId)) this.#catalogs.delete(itemDatasetId);
    }
  }
}

function isSame(a: ModelName, b: ModelName): boolean {
  return a.modelId === b.modelId && a.projectId === b.projectId && a.accountId === b.accountId;
}

/** Ids of accounts and projects come from the store and hold no slash. */
function keyOf({ accountId, projectId, modelId }: ModelName): string {
  return `${accountId}/${projectId}/${modelId}`;
}
