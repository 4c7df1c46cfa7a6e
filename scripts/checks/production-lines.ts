import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The count that the next landing is compared with; each landing stores the new one. */
const KEPT = path.join(import.meta.dirname, 'production-lines.json');
const NOT_COUNTED = /\.(?:test|fixture|generated|d)\.tsx?$/;

/** Lines of hand-written TypeScript by wing of `src` and by package, without tests, fixtures and generated files. */
export function productionLines(): Map<string, number> {
  const lines = new Map<string, number>();
  const exclude = (name: string): boolean => /^(?:node_modules|dist)$/.test(path.basename(name));
  for (const file of globSync('{src,packages}/**/*.{ts,tsx}', { cwd: ROOT, exclude }).sort()) {
    if (NOT_COUNTED.test(file)) continue;
    const parts = file.split(path.sep);
    const house = parts.length === 2 ? 'src (composition)' : parts.slice(0, 2).join('/');
    const count = readFileSync(path.join(ROOT, file), 'utf8').split('\n').length - 1;
    lines.set(house, (lines.get(house) ?? 0) + count);
  }
  return lines;
}

/** The counts as text, with their sum and how far it is from the kept one. */
export function productionLinesText(): string {
  const lines = productionLines();
  const total = [...lines.values()].reduce((sum, count) => sum + count, 0);
  const kept = JSON.parse(readFileSync(KEPT, 'utf8')) as { commit: string; lines: number };
  const difference = total - kept.lines;
  const rows = [...lines, ['together', total] as const].map(
    ([house, count]) => `${count.toLocaleString('en').padStart(9)}  ${house}`,
  );
  const change = `${difference > 0 ? '+' : ''}${difference.toLocaleString('en')} since ${kept.commit}`;
  return `\n== hand-written production lines\n${rows.join('\n')} (${change})\n`;
}
