export function BrandMark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="12" cy="16" r="8.5" fill="none" stroke="var(--accent)" strokeWidth="2.6" />
      <circle cx="20" cy="16" r="8.5" fill="none" stroke="var(--second)" strokeWidth="2.6" />
    </svg>
  );
}
