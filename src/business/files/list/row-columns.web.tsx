import type { FileRecord } from '../file-record.web.ts';
import type { FileColumn } from './file-columns.web.ts';

/** The columns of a row; those without a value keep their place. */
export function RowColumns({ file, columns }: { file: FileRecord; columns: readonly FileColumn[] }) {
  if (!columns.some(({ values }) => values.has(file.id))) return null;
  return (
    <dl className="outcome file-columns">
      {columns.map(({ id, name, values }) => {
        const value = values.get(file.id);
        return (
          <div key={id}>
            <dt>{name}</dt>
            <dd>
              {value?.text ?? '–'}
              {value?.isSure === false && (
                <span className="sureness" data-level="1">
                  not sure
                </span>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
