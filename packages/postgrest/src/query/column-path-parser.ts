import type { PathStep, Place } from './query-tree.ts';
import type { TextReader } from './text-reader.ts';

/** Most steps of a JSON path. */
const MAX_STEPS = 20;

/** Reads `column` or `column->key->>key`. @param others what may stand there instead, for errors */
export function readPlace(reader: TextReader, others?: string): Place {
  const column = reader.name(others);
  return { column, path: readPath(reader) };
}

/** Reads the arrows after a column. */
export function readPath(reader: TextReader): PathStep[] {
  const path: PathStep[] = [];
  for (;;) {
    const text = reader.take('->>');
    if (!text && !reader.take('->')) return path;
    path.push({ key: reader.key(), text });
    if (path.length > MAX_STEPS) throw reader.fail(`at most ${MAX_STEPS} arrows`);
  }
}
