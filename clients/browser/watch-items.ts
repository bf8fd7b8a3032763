// Which items a visitor really sees: half of the element on the screen for one second. Each element is told once.

const SHARE = 0.5;
const VISIBLE_MS = 1000;

export type WatchItem = (element: Element, onSeen: () => void) => void;

export function createWatch(): WatchItem {
  const seen = new WeakMap<Element, () => void>();
  const looks = new WeakMap<Element, object>();
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, intersectionRatio } of changes) {
        const look = {};
        looks.set(target, look);
        if (intersectionRatio < SHARE) continue;
        const tell = () => {
          if (looks.get(target) !== look) return;
          observer.unobserve(target);
          seen.get(target)?.();
        };
        // On a page that was busy the item may have left meanwhile: the observer says so when the next frame is drawn.
        setTimeout(() => requestAnimationFrame(() => setTimeout(tell)), VISIBLE_MS);
      }
    },
    { threshold: SHARE },
  );
  return (element, onSeen) => {
    seen.set(element, onSeen);
    observer.observe(element);
  };
}
