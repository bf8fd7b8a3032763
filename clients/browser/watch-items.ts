// Which items a visitor really sees: half of the element on the screen for one second. Each element is told once.

const SHARE = 0.5;
const VISIBLE_MS = 1000;

export type WatchItem = (element: Element, onSeen: () => void) => void;

export function createWatch(): WatchItem {
  const seen = new WeakMap<Element, () => void>();
  const looks = new WeakMap<Element, object>();
  const note = (changes: readonly IntersectionObserverEntry[]) => {
    const begun = new Map<Element, object>();
    for (const { target, intersectionRatio } of changes) {
      const look = {};
      looks.set(target, look);
      if (intersectionRatio >= SHARE) begun.set(target, look);
    }
    if (begun.size === 0) return;
    // Together, so that those seen together are sent together.
    const tell = () => {
      note(observer.takeRecords());
      for (const [target, look] of begun) {
        if (looks.get(target) !== look) continue;
        observer.unobserve(target);
        seen.get(target)?.();
      }
    };
    // On a page that was busy the item may have left meanwhile. A frame looks at the items after its own callbacks, so what the
    // next frame finds is known in the one after it.
    setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(tell)), VISIBLE_MS);
  };
  const observer = new IntersectionObserver(note, { threshold: SHARE });
  return (element, onSeen) => {
    seen.set(element, onSeen);
    observer.observe(element);
  };
}
