// Ways of scoring that a training tried or chose: a family, its settings and, where known, its quality.
import { formatValue } from '../format.ts';

export interface Variant {
  family: string;
  weight?: number;
  ndcg?: number;
  [setting: string]: unknown;
}

export interface TriedVariant extends Variant {
  ndcg: number;
}

export function variantsOf(value: unknown): Variant[] {
  return Array.isArray(value)
    ? value.filter(
        (entry): entry is Variant => typeof entry === 'object' && entry !== null && typeof entry.family === 'string',
      )
    : [];
}

export function triedOf(value: unknown): TriedVariant[] {
  return variantsOf(value).filter((variant): variant is TriedVariant => typeof variant.ndcg === 'number');
}

export function familyInWords({ family }: Variant): string {
  return family.replaceAll('_', ' ');
}

export function settingsInWords({ family: _, weight: __, ndcg: ___, ...settings }: Variant): string {
  return Object.entries(settings)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${formatValue(value)}`)
    .join(', ');
}
