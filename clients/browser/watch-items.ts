// Which items a visitor really sees: half of the element on the screen for one second. Each element is told once.

const SHARE = 0.5;
const VISIBLE_MS = 1000;

export type WatchItem = (element: Element, onSeen: () => void) => void;

export function createWatch(): WatchItem {
  const seen = new WeakMap<Element, () => void>();
  const timers = new WeakMap<Element, ReturnType<typeof setTimeout>>();
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, intersectionRatio } of changes) {
        clearTimeout(timers.get(target));
        if (intersectionRatio < SHARE) continue;
        const tell = () => {
          observer.unobserve(target);
          seen.get(target)?.();
        };
        timers.set(target, setTimeout(tell, VISIBLE_MS));
      }
    },
    { threshold: SHARE },
  );
  return (element, onSeen) => {
    seen.set(element, onSeen);
    observer.observe(element);
  };
}
