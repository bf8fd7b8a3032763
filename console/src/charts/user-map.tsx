// Users as points on a plane, colored by group, with the selected group highlighted. Drawn on a canvas, because there may be
// thousands of points. The group cards give the same information as text.
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useWidth } from './use-width.ts';

export interface MapPoint {
  x: number;
  y: number;
  /** Position of the group in the list of groups; -1 when unassigned. */
  group: number;
}

const GROUP_COLORS = 8;
export const groupColor = (group: number): string =>
  group < 0 ? 'var(--chart-base)' : `var(--group-${(group % GROUP_COLORS) + 1})`;

const MARGIN = 14;

export function UserMap({
  points,
  chosen,
  onChoose,
  label,
}: {
  points: MapPoint[];
  chosen: number | null;
  onChoose: (group: number | null) => void;
  label: string;
}) {
  const [box, width] = useWidth<HTMLDivElement>(560);
  const canvas = useRef<HTMLCanvasElement>(null);
  const height = Math.round(Math.min(460, Math.max(260, width * 0.72)));
  const themeVersion = useThemeVersion();

  useLayoutEffect(() => {
    // Colors come from the style sheet, so a change of theme redraws the map.
    void themeVersion;
    if (canvas.current) draw(canvas.current, points, { width, height }, chosen);
  }, [points, width, height, chosen, themeVersion]);

  return (
    <div ref={box} className="chart">
      <canvas
        ref={canvas}
        className="user-map"
        role="img"
        aria-label={label}
        onClick={(event) => {
          const bounds = event.currentTarget.getBoundingClientRect();
          const group = nearestGroup(points, { width, height }, [
            event.clientX - bounds.left,
            event.clientY - bounds.top,
          ]);
          onChoose(group === chosen ? null : group);
        }}
      />
    </div>
  );
}

function useThemeVersion(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const bump = () => setVersion((current) => current + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', bump);
    const observer = new MutationObserver(bump);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', bump);
      observer.disconnect();
    };
  }, []);
  return version;
}

interface Size {
  width: number;
  height: number;
}

function placing(points: MapPoint[], { width, height }: Size): (point: MapPoint) => [number, number] {
  let [minX, maxX, minY, maxY] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of points) {
    minX = Math.min(minX, x);
    maxX = Math.max(maxX, x);
    minY = Math.min(minY, y);
    maxY = Math.max(maxY, y);
  }
  const scaleX = (width - 2 * MARGIN) / (maxX - minX || 1);
  const scaleY = (height - 2 * MARGIN) / (maxY - minY || 1);
  return ({ x, y }) => [MARGIN + (x - minX) * scaleX, height - MARGIN - (y - minY) * scaleY];
}

function draw(canvas: HTMLCanvasElement, points: MapPoint[], size: Size, chosen: number | null): void {
  const { width, height } = size;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(ratio, ratio);
  context.clearRect(0, 0, width, height);
  const colors = new Map<number, string>();
  const probe = document.createElement('span');
  canvas.parentElement?.append(probe);
  for (const group of new Set(points.map((point) => point.group))) {
    probe.style.color = groupColor(group);
    colors.set(group, getComputedStyle(probe).color);
  }
  probe.remove();
  const place = placing(points, size);
  const radius = points.length > 4000 ? 1.6 : points.length > 1000 ? 2.2 : 3.2;
  const ordered =
    chosen === null ? points : [...points].sort((a, b) => Number(a.group === chosen) - Number(b.group === chosen));
  for (const point of ordered) {
    const [x, y] = place(point);
    context.globalAlpha = chosen === null || point.group === chosen ? 0.75 : 0.1;
    context.fillStyle = colors.get(point.group)!;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
  }
}

function nearestGroup(points: MapPoint[], size: Size, [atX, atY]: [number, number]): number | null {
  const place = placing(points, size);
  let best: number | null = null;
  let bestDistance = 30 ** 2;
  for (const point of points) {
    const [x, y] = place(point);
    const distance = (x - atX) ** 2 + (y - atY) ** 2;
    if (distance < bestDistance) [best, bestDistance] = [point.group, distance];
  }
  return best;
}
