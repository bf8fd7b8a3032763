// Places of users on a plane for the map: first the two main directions of the data (principal components), then a neighbor
// embedding in the manner of UMAP: each user is drawn to its nearest users and pushed from random others, so that groups are
// as islands even where two straight directions cannot part them. Deterministic by the seed.
import { seededRandom } from '../../base/seeded-random.ts';
import { Distances } from './distances.ts';
import type { Points } from './points.ts';

export interface Layout {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const NEIGHBORS = 12;
const PUSHES = 5;
const EPOCHS = 160;

export function layOut(points: Points, seed: number): Layout {
  const layout = principalPlane(points, seed);
  if (points.count > NEIGHBORS * 2) embedNeighbors(points, layout, seed);
  return layout;
}

/** The two directions of largest variance, by orthogonal iteration on the covariance; scaled to a spread of about 3. */
function principalPlane(points: Points, seed: number): Layout {
  const { count, dimensions, values } = points;
  const mean = new Float64Array(dimensions);
  for (let index = 0; index < count; index++)
    for (let d = 0; d < dimensions; d++) mean[d] += values[index * dimensions + d] / count;
  const covariance = new Float64Array(dimensions * dimensions);
  const centered = new Float64Array(dimensions);
  for (let index = 0; index < count; index++) {
    for (let d = 0; d < dimensions; d++) centered[d] = values[index * dimensions + d] - mean[d];
    for (let a = 0; a < dimensions; a++)
      for (let b = 0; b <= a; b++) covariance[a * dimensions + b] += centered[a] * centered[b];
  }
  for (let a = 0; a < dimensions; a++)
    for (let b = 0; b < a; b++) covariance[b * dimensions + a] = covariance[a * dimensions + b];

  const random = seededRandom(seed);
  const axes = [0, 1].map(() => Float64Array.from({ length: dimensions }, () => random.normal()));
  for (let round = 0; round < 100; round++) {
    for (const [order, axis] of axes.entries()) {
      const turned = multiply(covariance, axis, dimensions);
      for (let before = 0; before < order; before++) removeDirection(turned, axes[before]);
      normalize(turned);
      axis.set(turned);
    }
  }
  const [x, y] = axes.map((axis) => {
    const places = new Float64Array(count);
    let square = 0;
    for (let index = 0; index < count; index++) {
      for (let d = 0; d < dimensions; d++) places[index] += (values[index * dimensions + d] - mean[d]) * axis[d];
      square += places[index] ** 2;
    }
    const spread = Math.sqrt(square / Math.max(1, count));
    if (spread > 0) for (let index = 0; index < count; index++) places[index] *= 3 / spread;
    return places;
  });
  return { x, y };
}

function multiply(matrix: Float64Array, vector: Float64Array, size: number): Float64Array {
  const product = new Float64Array(size);
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) product[row] += matrix[row * size + column] * vector[column];
  return product;
}

function removeDirection(vector: Float64Array, direction: Float64Array): void {
  let along = 0;
  for (let d = 0; d < vector.length; d++) along += vector[d] * direction[d];
  for (let d = 0; d < vector.length; d++) vector[d] -= along * direction[d];
}

function normalize(vector: Float64Array): void {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length > 0) for (let d = 0; d < vector.length; d++) vector[d] /= length;
}

/** Stochastic steps on the cross-entropy between nearness in taste and nearness 1 / (1 + d²) on the plane. */
function embedNeighbors(points: Points, { x, y }: Layout, seed: number): void {
  const count = points.count;
  const neighbors = nearestNeighbors(points, NEIGHBORS);
  const random = seededRandom(seed ^ 0x2545f491);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const rate = 1 - epoch / EPOCHS;
    for (let point = 0; point < count; point++) {
      // Nearer neighbors pull in every epoch, farther ones in fewer: rank r of n in a share of 1 − r/n.
      const rank = Math.floor(NEIGHBORS * (1 - Math.sqrt(random.next())));
      const neighbor = neighbors[point * NEIGHBORS + rank];
      let dx = x[point] - x[neighbor];
      let dy = y[point] - y[neighbor];
      let square = dx * dx + dy * dy;
      const pull = (-2 / (1 + square)) * rate;
      const pullX = clamp(pull * dx);
      const pullY = clamp(pull * dy);
      x[point] += pullX;
      y[point] += pullY;
      x[neighbor] -= pullX;
      y[neighbor] -= pullY;
      for (let push = 0; push < PUSHES; push++) {
        const other = random.below(count);
        if (other === point) continue;
        dx = x[point] - x[other];
        dy = y[point] - y[other];
        square = dx * dx + dy * dy;
        const force = (2 / ((0.01 + square) * (1 + square))) * rate;
        x[point] += clamp(force * dx);
        y[point] += clamp(force * dy);
      }
    }
  }
}

function clamp(step: number): number {
  return Math.min(4, Math.max(-4, step));
}

/** Exact, nearest first; ties go to the smaller index. */
export function nearestNeighbors(points: Points, neighborCount: number): Uint32Array {
  const { count } = points;
  const squares = new Distances(points);
  const found = new Uint32Array(count * neighborCount);
  const far = new Float64Array(count * neighborCount).fill(Number.POSITIVE_INFINITY);
  const offer = (point: number, other: number, distance: number) => {
    const last = (point + 1) * neighborCount - 1;
    if (distance >= far[last]) return;
    let slot = last;
    for (; slot > point * neighborCount && far[slot - 1] > distance; slot--) {
      far[slot] = far[slot - 1];
      found[slot] = found[slot - 1];
    }
    far[slot] = distance;
    found[slot] = other;
  };
  for (let a = 1; a < count; a++) {
    const near = squares.from(a, a);
    for (let b = 0; b < a; b++) {
      offer(a, b, near[b]);
      offer(b, a, near[b]);
    }
  }
  return found;
}
