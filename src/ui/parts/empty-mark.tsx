/** The drawing for an empty list or page: a line with one empty station. */
export function EmptyMark({ wide = false }: { wide?: boolean }) {
  const width = wide ? 160 : 120;
  return (
    <svg viewBox={`0 0 ${width} 24`} width={width} height="24" aria-hidden="true">
      <path d={`M2 12h${width - 4}`} />
      <circle cx={width / 2} cy="12" r={wide ? 9 : 8} />
    </svg>
  );
}
