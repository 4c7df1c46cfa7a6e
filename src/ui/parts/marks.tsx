const PER_MARK = 5;
const PER_ROW = 20;
const [WIDTH, HEIGHT, STEP_X, STEP_Y] = [8.4, 7, 10, 9.2];

/** Path of the marks from `first` to `last` (exclusive). */
function path(first: number, last: number): string {
  let d = '';
  for (let index = first; index < last; index += 1) {
    const x = (index % PER_ROW) * STEP_X;
    const y = Math.floor(index / PER_ROW) * STEP_Y;
    d += `M${x} ${Number(y.toFixed(1))}h${WIDTH}v${HEIGHT}h-${WIDTH}z`;
  }
  return d;
}

/**
 * An allowance of documents, one mark for five. `left` is the remaining number (all of it when absent); used
 * marks are outlines.
 */
export function Marks({
  documents,
  left = documents,
  label,
}: {
  documents: number;
  left?: number;
  label: string;
}) {
  const total = Math.ceil(documents / PER_MARK);
  const lit = Math.min(total, Math.ceil(left / PER_MARK));
  const rows = Math.max(1, Math.ceil(total / PER_ROW));
  return (
    <svg className="marks" viewBox={`-1 -1 200.4 ${rows * STEP_Y}`} role="img" aria-label={label}>
      {lit > 0 ? <path className="marks-lit" d={path(0, lit)} /> : null}
      {lit < total ? <path className="marks-used" d={path(lit, total)} /> : null}
    </svg>
  );
}
