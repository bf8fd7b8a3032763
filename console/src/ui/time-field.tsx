// A field for a time in the time zone of the browser. Every time it passes on is one.
import { useId, useState } from 'react';

/** Years of up to four digits: the browser goes on to the hour after the fourth, and longer years cannot be read. */
const LAST_TIME = '9999-12-31T23:59';

export function TimeField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: number | undefined;
  onChange: (ms: number | undefined) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState('');
  // What is typed stays as it is: the first digits of a year are a time too, and its text may be another.
  const text = timeOf(typed) === value ? typed : value === undefined ? '' : localTime(value);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        max={LAST_TIME}
        value={text}
        onChange={(event) => {
          const ms = timeOf(event.target.value);
          if (Number.isNaN(ms)) return;
          setTyped(event.target.value);
          onChange(ms);
        }}
      />
    </div>
  );
}

function timeOf(text: string): number | undefined {
  return text === '' ? undefined : new Date(text).getTime();
}

/** 2026-11-15T20:36, as the browser's time field wants it. */
function localTime(ms: number): string {
  const minutes = new Date(ms).getTimezoneOffset();
  return new Date(ms - minutes * 60_000).toISOString().slice(0, 16);
}
