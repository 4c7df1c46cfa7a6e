import type { TextRun } from './page-rows.ts';

/** The runs of a page without repetitions that only look bold, and with UTF-16 in the right byte order. */
export function repairedRuns(runs: readonly TextRun[]): TextRun[] {
  return inByteOrder(withoutShadows(runs));
}

/** How far apart two prints of the same letters may be that a program makes to look bold, as a share of their size. */
const SHADOW = 0.12;

/** Drops a run that repeats the one before it at nearly the same place, which looks bold. */
function withoutShadows(runs: readonly TextRun[]): TextRun[] {
  const kept: TextRun[] = [];
  for (const run of runs) {
    const isShadow =
      run.text.trim() !== '' &&
      kept
        .slice(-MOST_BETWEEN)
        .some(
          ({ text, x, y, size }) =>
            text === run.text && Math.abs(x - run.x) <= size * SHADOW && Math.abs(y - run.y) <= size * SHADOW,
        );
    if (!isShadow) kept.push(run);
  }
  return kept;
}

/** Number of runs between a run and its repetition. */
const MOST_BETWEEN = 40;

/** Share of a page's characters that shows that a program wrote its UTF-16 in the wrong byte order, and their number. */
const SWAPPED = 0.9;
const LEAST_SWAPPED = 6;

/** Corrects "䴀甀氀琀", which is "Mult" with the bytes of each letter swapped. */
function inByteOrder(runs: readonly TextRun[]): TextRun[] {
  const signs = runs.map(({ text }) => text.replace(/\s/g, '')).join('');
  const swapped = [...signs].filter((sign) => isSwapped(sign)).length;
  if (swapped < LEAST_SWAPPED || swapped < signs.length * SWAPPED) return [...runs];
  return runs.map((run) => ({
    ...run,
    text: [...run.text]
      .map((sign) => (isSwapped(sign) ? String.fromCharCode(sign.charCodeAt(0) >> 8) : sign))
      .join(''),
  }));
}

function isSwapped(sign: string): boolean {
  const code = sign.charCodeAt(0);
  return (code & 0xff) === 0 && code >= 0x2000 && code <= 0x7e00;
}
