const PER_MARK = 5;
const PER_ROW = 20;
const [WIDTH, HEIGHT, STEP_X, STEP_Y] = [8.4, 7, 10, 9.2];

/** Path of this many marks. */
function path(count: number): string {
  let d = '';
  for (let index = 0; index < count; index += 1) {
    const x = (index % PER_ROW) * STEP_X;
    const y = Math.floor(index / PER_ROW) * STEP_Y;
    d += `M${x} ${Number(y.toFixed(1))}h${WIDTH}v${HEIGHT}h-${WIDTH}z`;
  }
  return d;
}

/** An allowance of documents, one mark for five. */
export function Marks({ documents, label }: { documents: number; label: string }) {
  const total = Math.ceil(documents / PER_MARK);
  const rows = Math.max(1, Math.ceil(total / PER_ROW));
  return (
    <svg className="marks" viewBox={`-1 -1 200.4 ${rows * STEP_Y}`} role="img" aria-label={label}>
      <path className="marks-lit" d={path(total)} />
    </svg>
  );
}
