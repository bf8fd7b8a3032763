// <kindred-placement>: shows a placement. A <template> inside it is repeated for each item; in it `data-text`, `data-href` and `data-src`
// name the attribute of the item to put there. Values are set as text and as checked addresses, never as HTML.
import { currentTracker } from './tracker.ts';

type Item = { item_id: string } & Record<string, unknown>;

interface PlacementAnswer {
  recommendation_id: string;
  results: { item: Item }[];
}

/** Attributes a page has without a template shows the first of these. */
const TITLES = ['title', 'name', 'item_id'];
const OBSERVED = ['name', 'project', 'user-id', 'visitor-id', 'item-id', 'limit'];

export class KindredPlacement extends HTMLElement {
  static observedAttributes = OBSERVED;
  #turn = 0;

  connectedCallback(): void {
    void this.refresh();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) void this.refresh();
  }

  /** Asks again, e.g. after an event. Shows nothing when there is nothing to show. */
  async refresh(): Promise<void> {
    const turn = ++this.#turn;
    // All attributes of an element that is being made arrive one by one: ask once.
    await Promise.resolve();
    const of = (name: string) => this.getAttribute(name) ?? undefined;
    const [url, key, project, name] = ['url', 'key', 'project', 'name'].map((attribute) => of(attribute));
    if (turn !== this.#turn || !url || !key || !project || !name) return;
    const user_id = of('user-id') ?? of('visitor-id') ?? currentTracker()?.currentId ?? undefined;
    const limit = of('limit');
    const body = { user_id, item_id: of('item-id'), limit: limit && Number(limit) };
    const path = [project, 'placements', name].map(encodeURIComponent).join('/');
    try {
      const response = await fetch(`${url.replace(/\/+$/, '')}/projects/${path}?key=${encodeURIComponent(key)}`, {
        method: 'POST',
        body: JSON.stringify(body),
        credentials: 'omit',
      });
      const answer = await response.json();
      if (turn !== this.#turn) return;
      if (!response.ok) throw new Error(answer.detail);
      this.#show(answer);
      this.#tell('kindred-results', answer);
    } catch (error) {
      this.#tell('kindred-error', error);
    }
  }

  #show({ results, recommendation_id }: PlacementAnswer): void {
    const template = this.querySelector('template');
    const shown = results.map(({ item }) => {
      const entry = document.createElement('div');
      entry.setAttribute('part', 'item');
      entry.append(template ? template.content.cloneNode(true) : titleOf(item));
      fill(entry, item);
      const listed = { itemId: item.item_id, recommendationId: recommendation_id };
      currentTracker()?.watch(entry, listed);
      entry.addEventListener('click', () => {
        currentTracker()?.choose(listed);
        currentTracker()?.track('click', item.item_id);
        this.#tell('kindred-click', { item, recommendation_id });
      });
      return entry;
    });
    this.replaceChildren(...(template ? [template] : []), ...shown);
  }

  #tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  }
}

function titleOf(item: Item): string {
  return String(TITLES.map((name) => item[name]).find((value) => value !== undefined && value !== null));
}

function fill(entry: HTMLElement, item: Item): void {
  for (const element of entry.querySelectorAll<HTMLElement>('[data-text],[data-href],[data-src]')) {
    const { text, href, src } = element.dataset;
    if (text) element.textContent = String(item[text] ?? '');
    for (const [attribute, name] of [
      ['href', href],
      ['src', src],
    ]) {
      const address = name && item[name];
      // A catalog must not bring scripts into a page.
      if (typeof address === 'string' && /^(https?:|\/(?!\/)|[\w-]+(\/|$|\.))/i.test(address)) {
        element.setAttribute(attribute as string, address);
      }
    }
  }
}
