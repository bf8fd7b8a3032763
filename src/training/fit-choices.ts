// Weights under which what users turned to is most likely among what they could have been shown (how likely:
// kernels/assembly/rank-training.ts). L-BFGS on the mean over questions plus a small ridge; columns count in units of their
// standard deviation. The kernel makes the gradient of a few questions at a time, and these are summed up in order: the number of
// threads changes nothing.
import type { KernelPool } from '../kernels/kernel-pool.ts';

/** Candidates of question u: counts[u] rows from u · slot on. Arrays are on the pool's memory. */
export interface ChoiceData {
  readonly questions: number;
  readonly slot: number;
  readonly counts: Uint32Array;
  /** width floats a row; a multiple of four */
  readonly features: Float32Array;
  readonly width: number;
  readonly items: Uint32Array;
  /** factWidth floats an item; a multiple of four */
  readonly facts: Float32Array;
  readonly factWidth: number;
  /** for targets, a value above 0, equal within a question, that is the question's weight; 0 for all other items */
  readonly labels: Float32Array;
}

const ITERATIONS = 40;
/** Questions whose gradients the kernel sums up: fixed, so that sums are the same on any number of threads. */
const CHUNK_QUESTIONS = 16;
/** Questions whose candidates say what the standard deviation of a column is. */
const SCALE_QUESTIONS = 500;
/** Weights of standardized columns are expected to be within about ±1; the fewer questions, the more that counts. */
const RIDGE_QUESTIONS = 2;
const MEMORY = 8;
const HALVINGS = 12;

/** Weights of the features, then of the facts. */
export async function fitChoices(pool: KernelPool, data: ChoiceData): Promise<Float64Array> {
  const { memory } = pool;
  const mark = memory.mark();
  const size = data.width + data.factWidth;
  const responded = Math.max(1, data.counts.subarray(0, data.questions).filter((count) => count > 0).length);
  const ridge = RIDGE_QUESTIONS / responded;
  const scales = deviations(data);
  const raw = memory.f32(size);
  const losses = memory.f32(data.questions);
  const gradients = memory.f32(Math.ceil(data.questions / CHUNK_QUESTIONS) * size);
  const evaluate = async (weights: Float64Array, gradient: Float64Array): Promise<number> => {
    for (let k = 0; k < size; k++) raw[k] = weights[k] * scales[k];
    await pool.run(
      'choiceGradient',
      [
        data.counts,
        data.slot,
        data.features,
        data.width,
        data.items,
        data.facts,
        data.factWidth,
        data.labels,
        raw,
        CHUNK_QUESTIONS,
        losses,
        gradients,
      ],
      { rows: data.questions, scratchBytes: data.slot * 4, chunkRows: CHUNK_QUESTIONS },
    );
    addRows(gradients, gradient);
    let loss = 0;
    for (const own of losses) loss += own / responded;
    for (let k = 0; k < size; k++) {
      gradient[k] = (gradient[k] * scales[k]) / responded + ridge * weights[k];
      loss += 0.5 * ridge * weights[k] * weights[k];
    }
    return loss;
  };
  const weights = await minimize(evaluate, size);
  memory.release(mark);
  return weights.map((weight, k) => weight * scales[k]);
}

function addRows(gradients: Float32Array, out: Float64Array): void {
  out.fill(0);
  for (let at = 0; at < gradients.length; ) for (let k = 0; k < out.length; k++) out[k] += gradients[at++];
}

/** 1 / standard deviation of every column over the candidates; 0 for a column that says nothing. */
function deviations({ questions, slot, counts, features, width, items, facts, factWidth }: ChoiceData): Float64Array {
  const size = width + factWidth;
  const sums = new Float64Array(size);
  const squares = new Float64Array(size);
  let rows = 0;
  const step = Math.ceil(questions / SCALE_QUESTIONS);
  for (let u = 0; u < questions; u += step) {
    for (let row = u * slot; row < u * slot + counts[u]; row++) {
      rows++;
      for (let k = 0, at = row * width; k < width; k++, at++) {
        const value = features[at];
        sums[k] += value;
        squares[k] += value * value;
      }
      for (let k = width, at = items[row] * factWidth; k < size; k++, at++) {
        const value = facts[at];
        sums[k] += value;
        squares[k] += value * value;
      }
    }
  }
  return sums.map((sum, k) => {
    const mean = sum / Math.max(1, rows);
    const variance = squares[k] / Math.max(1, rows) - mean * mean;
    return variance > 1e-9 ? 1 / Math.sqrt(variance) : 0;
  });
}

type Evaluate = (x: Float64Array, gradient: Float64Array) => Promise<number>;

/** L-BFGS from zero, steps halved until the loss falls enough. */
async function minimize(evaluate: Evaluate, size: number): Promise<Float64Array> {
  let x = new Float64Array(size);
  let gradient = new Float64Array(size);
  let loss = await evaluate(x, gradient);
  const pairs: { s: Float64Array; y: Float64Array; rho: number }[] = [];
  for (let turn = 0; turn < ITERATIONS; turn++) {
    const direction = descent(gradient, pairs);
    const slope = -dot(gradient, direction);
    if (slope > -1e-10) break;
    let step = pairs.length > 0 ? 1 : Math.min(1, 1 / Math.sqrt(-slope));
    let moved = false;
    for (let halving = 0; halving < HALVINGS && !moved; halving++, step /= 2) {
      const next = x.map((value, k) => value - step * direction[k]);
      const nextGradient = new Float64Array(size);
      const nextLoss = await evaluate(next, nextGradient);
      if (!(nextLoss <= loss + 1e-4 * step * slope)) continue;
      const s = next.map((value, k) => value - x[k]);
      const y = nextGradient.map((value, k) => value - gradient[k]);
      const product = dot(s, y);
      if (product > 1e-12) pairs.push({ s, y, rho: 1 / product });
      if (pairs.length > MEMORY) pairs.shift();
      [x, gradient, loss] = [next, nextGradient, nextLoss];
      moved = true;
    }
    if (!moved) break;
  }
  return x;
}

/** The gradient times the inverse curvature that the last steps showed. */
function descent(gradient: Float64Array, pairs: readonly { s: Float64Array; y: Float64Array; rho: number }[]) {
  const direction = gradient.slice();
  const alphas: number[] = [];
  for (let n = pairs.length - 1; n >= 0; n--) {
    const { s, y, rho } = pairs[n];
    alphas[n] = rho * dot(s, direction);
    for (let k = 0; k < direction.length; k++) direction[k] -= alphas[n] * y[k];
  }
  const last = pairs.at(-1);
  if (last) {
    const scale = 1 / (last.rho * dot(last.y, last.y));
    for (let k = 0; k < direction.length; k++) direction[k] *= scale;
  }
  for (const [n, { s, y, rho }] of pairs.entries()) {
    const beta = rho * dot(y, direction);
    for (let k = 0; k < direction.length; k++) direction[k] += s[k] * (alphas[n] - beta);
  }
  return direction;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}
