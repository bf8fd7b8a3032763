// Colors of groups that stay apart for people with any common color blindness, on white and on near-black.
// Beyond the eight colors the marker's shape changes too, so that 32 groups can be told apart.

const COLORS = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9', '#8c6bb1', '#a6a11b'] as const;
const SHAPES = ['circle', 'square', 'triangle', 'diamond'] as const;
export type MarkerShape = (typeof SHAPES)[number];

export function colorOf(group: number): string {
  return COLORS[group % COLORS.length];
}

export function shapeOf(group: number): MarkerShape {
  return SHAPES[Math.floor(group / COLORS.length) % SHAPES.length];
}

/** Path data that continues after an `M`: a marker around its center with about the area of a dot of the radius. */
export function markerPath(shape: MarkerShape, radius: number): string {
  const r = Math.round(radius * 100) / 100;
  switch (shape) {
    case 'circle':
      return `m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    case 'square':
      return `m${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`;
    case 'triangle':
      return `m0 ${-1.3 * r}l${1.25 * r} ${2.2 * r}h${-2.5 * r}z`;
    case 'diamond':
      return `m0 ${-1.4 * r}l${1.4 * r} ${1.4 * r}l${-1.4 * r} ${1.4 * r}l${-1.4 * r} ${-1.4 * r}z`;
  }
}
