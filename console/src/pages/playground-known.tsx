// Of a list that is not made for a user: whether what the user has not seen, has started or has had comes first.
import { Segments } from '../ui/field.tsx';
import type { Objective } from './use-recommendations.ts';

const CHOICES: { value: Exclude<Objective, 'auto' | 'any'> | 'none'; label: string }[] = [
  { value: 'none', label: 'Any' },
  { value: 'discover', label: 'New' },
  { value: 'continue', label: 'Started' },
  { value: 'again', label: 'Had before' },
];

export function KnownField({
  userId,
  value,
  onChange,
}: {
  /** null: nobody is picked, and nothing can be told. */
  userId: string | null;
  value: Objective | null;
  onChange: (value: Objective | null) => void;
}) {
  if (userId === null) return null;
  const shown = CHOICES.find((choice) => choice.value === value)?.value ?? 'none';
  return (
    <div className="field">
      <span className="label">First for {userId}</span>
      <Segments
        label={`First for ${userId}`}
        value={shown}
        onChange={(chosen) => onChange(chosen === 'none' ? null : chosen)}
        choices={CHOICES}
      />
    </div>
  );
}
