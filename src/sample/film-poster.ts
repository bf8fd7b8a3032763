// Posters of the sample films: drawings by genre as SVG, made here, so that the demo needs no network. A genre has a motif and
// colors; the number varies the composition. Presentation attributes only: the content security policy allows no inline styles.
import { type Random, seededRandom } from '../base/seeded-random.ts';
import { GENRES, type Genre } from './film-titles.ts';

const WIDTH = 200;
const HEIGHT = 280;
/** Number of different posters per genre. */
const VARIANTS = 200;

interface Colors {
  sky: string;
  ground: string;
  main: string;
  light: string;
}

type Motif = (random: Random, colors: Colors) => string;

/** Two color schemes per genre: sky, ground, main, light. */
const COLORS: Record<Genre, [string, string]> = {
  Action: ['#2b1b17 #51231a #e4572e #ffc857', '#1d2433 #3a2a2f #f26430 #f9dc5c'],
  Animation: ['#7fd1e8 #3a9ecb #ff7f6b #ffe66d', '#bfe3b4 #57b894 #f77f88 #fff3b0'],
  Comedy: ['#ffd166 #f79d5c #ef476f #fff8e7', '#8fd6c8 #4aa79b #ffb20f #fdf6e3'],
  Crime: ['#1f2a33 #101820 #c9a227 #e8dcc4', '#2d2330 #17121b #d9a441 #efe2d0'],
  Documentary: ['#a7c7b7 #3f6f5f #27493f #f3ead3', '#9fc0d6 #3c6580 #213d52 #f6ecd8'],
  Drama: ['#5b5f86 #343753 #e6a57e #f4dcc3', '#7b5e6b #463642 #e8b48a #f7e3cd'],
  Family: ['#a6dcef #7fb069 #e76f51 #fff1c9', '#f9d7a0 #8ab17d #d1495b #fffaf0'],
  Fantasy: ['#3b2f63 #1f1a3d #8f6fd1 #f3d9ff', '#1f4650 #10292f #4fb3a5 #e3f7d4'],
  Horror: ['#1a1414 #0b0909 #a31621 #ece4db', '#18211f #090d0c #6b8f71 #e7efe2'],
  Romance: ['#f7c8cf #eb8a9b #c9405b #fff0ee', '#e9c3d8 #c98bb0 #973f75 #fdeef6'],
  'Science Fiction': ['#0f1b3d #071028 #4cc9f0 #dff6ff', '#241a4a #120c2b #f38ba0 #fde7f3'],
  Thriller: ['#20333b #0f1b20 #d7263d #f2e9dc', '#2e2e3a #15151d #3fa7d6 #eef1f4'],
};

const MOTIFS: Record<Genre, Motif> = {
  Action: (random, { main, light, ground }) => {
    const [x, y] = [60 + random.below(80), 150 + random.below(50)];
    const rays = times(14, (n) => {
      const at = (n / 14) * 2 * Math.PI + random.next() * 0.2;
      const [dx, dy] = [Math.cos(at), Math.sin(at)];
      const far = 320;
      return `<path fill="${main}" opacity="${0.35 + 0.4 * random.next()}" d="M${x} ${y}L${n1(x + far * dx)} ${n1(y + far * dy)}L${n1(x + far * Math.cos(at + 0.16))} ${n1(y + far * Math.sin(at + 0.16))}Z"/>`;
    });
    const car = y + 40;
    return `${rays}${circle(x, y, 26 + random.below(14), light)}<path fill="${ground}" d="M0 ${car}L${WIDTH} ${car - 26}V${HEIGHT}H0Z"/>`;
  },
  Animation: (random, { main, light, ground }) =>
    hills(random, [ground], 215) +
    times(5, (n) => {
      const [x, y, r] = [24 + n * 38, 50 + random.below(110), 13 + random.below(14)];
      return `<path stroke="${light}" stroke-width="1.5" fill="none" d="M${x} ${y + r}Q${x + 6} ${y + r + 22} ${x - 2} ${y + r + 44}"/><ellipse cx="${x}" cy="${y}" rx="${r}" ry="${n1(r * 1.18)}" fill="${n % 2 ? light : main}"/><circle cx="${n1(x - r * 0.3)}" cy="${n1(y - r * 0.4)}" r="${n1(r * 0.18)}" fill="#fff" opacity=".7"/>`;
    }),
  Comedy: (random, { main, light, ground }) => {
    const y = 130 + random.below(30);
    const confetti = times(26, (n) => {
      const [x, top] = [random.below(WIDTH), random.below(HEIGHT)];
      const color = [main, light, ground][n % 3];
      return n % 2
        ? circle(x, top, 3 + random.below(4), color)
        : `<rect x="${x}" y="${top}" width="9" height="4" fill="${color}" transform="rotate(${random.below(180)} ${x} ${top})"/>`;
    });
    return `${confetti}${circle(100, y, 58, light)}${circle(80, y - 14, 6, main)}${circle(120, y - 14, 6, main)}<path d="M66 ${y + 10}Q100 ${y + 52 + random.below(14)} 134 ${y + 10}Z" fill="${main}"/>`;
  },
  Crime: (random, { main, light, ground }) => {
    const slope = random.pick([-24, -12, 12, 24]);
    const blinds = times(11, (n) => {
      const y = 14 + n * 24;
      return `<path fill="${main}" opacity="${n1(0.25 + 0.05 * n)}" d="M0 ${y}L${WIDTH} ${y + slope}v9L0 ${y + 9}Z"/>`;
    });
    const x = 70 + random.below(60);
    return `${blinds}${circle(x, 128, 26, ground)}<path fill="${ground}" d="M${x - 44} 118h88l-14-8-8-26h-44l-8 26zM${x - 62} ${HEIGHT}q4-110 62-116q58 6 62 116z"/><circle cx="${x + 22}" cy="176" r="3" fill="${light}"/>`;
  },
  Documentary: (random, { main, light, ground }) =>
    circle(50 + random.below(100), 70 + random.below(30), 26, light) + hills(random, [ground, main], 150),
  Drama: (random, { main, light, ground }) => {
    const y = 190 + random.below(24);
    const x = 60 + random.below(80);
    return `${circle(x, y, 52, main)}<rect y="${y}" width="${WIDTH}" height="${HEIGHT}" fill="${ground}"/>${times(
      6,
      (n) =>
        `<rect x="${x - 46 + n * 7}" y="${y + 10 + n * 11}" width="${92 - n * 14}" height="3" rx="1.5" fill="${light}" opacity=".55"/>`,
    )}<path fill="${ground}" d="M${x + 40} ${y + 2}v-34q5-9 10 0v34z"/>${circle(x + 45, y - 42, 6, ground)}`;
  },
  Family: (random, { main, light, ground }) => {
    const x = 46 + random.below(60);
    return `${circle(150, 54, 22, light)}${hills(random, [ground], 200)}<path fill="${light}" d="M${x} 168h64v58h-64z"/><path fill="${main}" d="M${x - 10} 170L${x + 32} 132L${x + 74} 170Z"/><rect x="${x + 26}" y="194" width="16" height="32" rx="8" fill="${main}"/><circle cx="${x + 14}" cy="186" r="6" fill="${ground}"/><circle cx="${x + 52}" cy="186" r="6" fill="${ground}"/>`;
  },
  Fantasy: (random, { main, light, ground }) => {
    const x = 60 + random.below(80);
    return `${stars(random, light, 30)}${circle(150 - random.below(90), 66, 30, light)}<path fill="${main}" d="M0 220L46 ${140 + random.below(30)}L92 214L140 ${128 + random.below(40)}L${WIDTH} 216V${HEIGHT}H0Z"/><path fill="${ground}" d="M${x - 30} ${HEIGHT}v-86h8v-14h8v14h8v-34l6-24l6 24v34h8v-14h8v14h8v86z"/><path fill="${ground}" d="M0 246q50-22 100-6t100-2v44H0z"/>`;
  },
  Horror: (random, { main, light, ground }) => {
    const x = 60 + random.below(80);
    const trees = times(9, (n) => {
      const at = n * 24 - 6 + random.below(10);
      const top = 120 + random.below(90);
      return `<path fill="${ground}" d="M${at} ${HEIGHT}L${at + 7} ${top}L${at + 14} ${HEIGHT}Z"/><path stroke="${ground}" stroke-width="2.5" d="M${at + 7} ${top + 40}l${random.pick([-16, 16])} -20M${at + 7} ${top + 64}l${random.pick([-14, 14])} -16"/>`;
    });
    return `${circle(x, 96, 46, main)}${circle(x - 14, 92, 5, light)}${circle(x + 14, 92, 5, light)}${trees}`;
  },
  Romance: (random, { main, light, ground }) => {
    const y = 120 + random.below(40);
    const turn = random.below(30) - 15;
    return `${times(9, () => circle(random.below(WIDTH), random.below(HEIGHT), 6 + random.below(22), faded(light, 0.35)))}<g transform="rotate(${turn} 100 ${y})">${circle(76, y, 46, faded(main, 0.85))}${circle(124, y, 46, faded(ground, 0.85))}<path fill="${light}" d="M100 ${y + 22}c-34-22-22-46-6-42q5 2 6 8q1-6 6-8c16-4 28 20-6 42z"/></g>`;
  },
  'Science Fiction': (random, { main, light, ground }) => {
    const [x, y, r] = [70 + random.below(60), 110 + random.below(40), 38 + random.below(14)];
    return `${stars(random, light, 46)}${circle(x, y, r, main)}<path d="M${x - r} ${y}a${r} ${r} 0 0 0 ${2 * r} 0z" fill="${ground}" opacity=".45"/><ellipse cx="${x}" cy="${y}" rx="${r * 1.75}" ry="${n1(r * 0.34)}" fill="none" stroke="${light}" stroke-width="4" transform="rotate(${random.below(50) - 25} ${x} ${y})"/>${circle(30 + random.below(140), 236, 9, light)}`;
  },
  Thriller: (random, { main, light, ground }) => {
    const [x, y] = [60 + random.below(80), 90 + random.below(80)];
    const rings = times(7, (n) => circle(x, y, 150 - n * 20, faded(n % 2 ? ground : main, 0.22 + n * 0.06)));
    const end = random.pick([24, 96, 168]);
    return `${rings}${circle(x, y, 10, light)}<path stroke="${light}" stroke-width="2" d="M${x} 0V${HEIGHT}M0 ${y}H${WIDTH}"/><path fill="${ground}" d="M${end - 14} ${HEIGHT}l10-52h8l10 52z"/>${circle(end, 220, 8, ground)}`;
  },
};

const NAME = /^([a-z-]+)-(\d{1,3})\.svg$/;
const slugOf = (genre: Genre): string => genre.toLowerCase().replaceAll(' ', '-');
const BY_SLUG = new Map(GENRES.map((genre) => [slugOf(genre), genre]));

/** The name of a film's poster: by its first genre. */
export function posterName(genre: Genre, index: number): string {
  return `${slugOf(genre)}-${index % VARIANTS}.svg`;
}

/** Returns null if no poster has this name. */
export function drawPoster(name: string): string | null {
  const [, slug, number] = NAME.exec(name) ?? [];
  const genre = BY_SLUG.get(slug ?? '');
  if (genre === undefined || Number(number) >= VARIANTS) return null;
  const random = seededRandom(GENRES.indexOf(genre) * 1000 + Number(number));
  const [sky, ground, main, light] = random.pick(COLORS[genre]).split(' ');
  const drawn = MOTIFS[genre](random, { sky, ground, main, light });
  // A tint distinguishes films of the same genre.
  const degrees = 14 * (Number(number) % 5) - 28;
  const tint = `<filter id="tint"><feColorMatrix type="hueRotate" values="${degrees}"/></filter>`;
  const art = `<g filter="url(#tint)"><rect width="${WIDTH}" height="${HEIGHT}" fill="${sky}"/>${drawn}</g>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}">${tint}${art}</svg>`;
}

const times = (count: number, draw: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => draw(n)).join('');
const n1 = (value: number): number => Math.round(value * 10) / 10;

function circle(x: number, y: number, r: number, fill: string): string {
  return `<circle cx="${n1(x)}" cy="${n1(y)}" r="${n1(r)}" fill="${fill}"/>`;
}

/** A color such as #ffffff with this opacity. */
const faded = (color: string, opacity: number): string =>
  color +
  Math.round(255 * opacity)
    .toString(16)
    .padStart(2, '0');

function stars(random: Random, color: string, count: number): string {
  return times(count, () => circle(random.below(WIDTH), random.below(HEIGHT), 0.6 + 1.4 * random.next(), color));
}

/** Rows of hills, the farthest first. */
function hills(random: Random, colors: string[], top: number): string {
  return colors
    .map((color, row) => {
      const y = top + row * 46;
      const [a, b] = [random.below(40), random.below(40)];
      return `<path fill="${color}" d="M0 ${y}Q50 ${y - 20 - a} 100 ${y + 4}T${WIDTH} ${y - b}V${HEIGHT}H0Z"/>`;
    })
    .join('');
}
