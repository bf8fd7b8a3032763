// Kindred in a web page: a tracker and an element that shows a placement.
import { KindredPlacement } from './placement.ts';

export { KindredPlacement } from './placement.ts';
export { createTracker, type EventDetails, type ListedItem, type Tracker, type TrackerOptions } from './tracker.ts';

if (!customElements.get('kindred-placement')) customElements.define('kindred-placement', KindredPlacement);
