// Who gets the deliveries of the project's webhook. It is slow, down for a while, or its response is lost; what has reached it stays.
import type { DeliveryRequest } from '../../src/automation/webhooks/post-delivery.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

const USUAL_MS = 20;
const TIMEOUT_MS = 10_000;

export class Receiver {
  readonly #world: World;
  /** ids of the deliveries that it has taken */
  readonly taken = new Set<string>();
  /** of the requests: it is down */
  downShare: number;

  constructor(world: World, downShare: number) {
    this.#world = world;
    this.downShare = downShare;
  }

  /** As postDelivery does: the status, or an error. */
  post(machine: Machine, { body, signal }: DeliveryRequest): Promise<number> {
    const { random } = this.#world;
    return new Promise((resolve, reject) => {
      const respond = (waitMs: number, action: () => void) =>
        void this.#world.schedule(waitMs, () => machine.receive(action));
      signal.addEventListener('abort', () => reject(new Error('The service stops.')), { once: true });
      const isDown = random.chance(this.downShare);
      if (isDown && random.chance(0.5))
        return respond(TIMEOUT_MS * random.next(), () => reject(new Error('No response.')));
      this.#world.schedule(random.next() * USUAL_MS, () => {
        if (!isDown) this.taken.add((JSON.parse(body) as { id: string }).id);
        respond(random.next() * USUAL_MS, () => resolve(isDown ? 500 : 200));
      });
    });
  }
}
