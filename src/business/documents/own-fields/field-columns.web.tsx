import { SURE_ENOUGH } from '@northline/document-reader/confidence-threshold.contract';
import { KIND_NAMES } from '@northline/document-reader/kind-names.contract';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { toast } from 'react-hot-toast/headless';
import { ownTables } from '../../../ui/session/client.ts';
import type { ColumnValue, FileColumn } from '../../files/list/file-columns.web.ts';
import type { OwnField, OwnFieldValue } from './own-field.contract.ts';

/** More columns would not stand beside each other. */
const MOST_COLUMNS = 6;
const PAGE = 1000;

interface ChosenFields {
  /** All fields that are read from the user's documents. */
  readonly fields: readonly OwnField[];
  /** The chosen ones, in the order in which they were chosen. */
  readonly columns: readonly FileColumn[];
}

type StoredValue = Pick<OwnFieldValue, 'field_id' | 'value' | 'normalized' | 'confidence' | 'given'> & {
  readonly file_id: string;
};

/** The fields of the user, and the values of those that stand in the list of files. */
function columnsQuery(userId: string) {
  return queryOptions({
    queryKey: ['files', userId, 'columns'],
    queryFn: async ({ signal }): Promise<ChosenFields> => {
      const tables = await ownTables();
      const [fields, listed] = await Promise.all([
        tables
          .from('own_fields')
          .select('id, user_id, team_id, kind, name, version')
          .order('kind')
          .order('created_at')
          .abortSignal(signal)
          .returns<OwnField[]>(),
        tables
          .from('listed_fields')
          .select('field_id')
          .order('listed_at')
          .abortSignal(signal)
          .returns<{ field_id: string }[]>(),
      ]);
      const error = fields.error ?? listed.error;
      if (error !== null) throw new Error('The fields could not be loaded.', { cause: error });
      const known = fields.data ?? [];
      const chosen = (listed.data ?? []).map(({ field_id: id }) => id);
      const values = chosen.length === 0 ? [] : await readValues(userId, chosen, signal);
      const columns = chosen.flatMap((id) => {
        const field = known.find((each) => each.id === id);
        return field === undefined ? [] : [{ id, name: field.name, values: valuesOf(id, values) }];
      });
      return { fields: known, columns };
    },
  });
}

/** The data service returns at most a thousand rows; a page that is not full is the last one. */
async function readValues(
  userId: string,
  fields: readonly string[],
  signal: AbortSignal,
): Promise<StoredValue[]> {
  const tables = await ownTables();
  const rows: StoredValue[] = [];
  for (;;) {
    const { data, error } = await tables
      .from('own_field_values')
      .select('field_id, file_id, value, normalized, confidence, given')
      .eq('user_id', userId)
      .in('field_id', fields)
      .not('value', 'is', null)
      .order('field_id')
      .order('file_id')
      .range(rows.length, rows.length + PAGE - 1)
      .abortSignal(signal)
      .returns<StoredValue[]>();
    if (error !== null) throw new Error('The fields could not be loaded.', { cause: error });
    rows.push(...data);
    if (data.length < PAGE) return rows;
  }
}

function valuesOf(field: string, rows: readonly StoredValue[]): ReadonlyMap<string, ColumnValue> {
  return new Map(
    rows
      .filter(({ field_id: id }) => id === field)
      .map(({ file_id: file, value, normalized, confidence, given }) => [
        file,
        {
          text: value ?? '',
          key: normalized ?? value ?? '',
          isSure: given || confidence >= SURE_ENOUGH,
        },
      ]),
  );
}

/** The user's fields that stand as columns in the list of files. */
export function useFieldColumns(userId: string): readonly FileColumn[] {
  return useQuery(columnsQuery(userId)).data?.columns ?? [];
}

/** Chooses which own fields stand in the list of files. Nothing for a user without fields. */
export function FieldColumnChoice({ userId }: { userId: string }) {
  const queries = useQueryClient();
  const { data } = useQuery(columnsQuery(userId));
  if (data === undefined || data.fields.length === 0) return null;
  const chosen = new Set(data.columns.map(({ id }) => id));
  const kinds = [...new Set(data.fields.map(({ kind }) => kind))];
  const { queryKey } = columnsQuery(userId);
  const choose = async ({ id, name }: OwnField, wanted: boolean): Promise<void> => {
    void queries.cancelQueries({ queryKey });
    // The choice stands at once; its values follow.
    queries.setQueryData<ChosenFields>(queryKey, (before) =>
      before === undefined
        ? before
        : {
            ...before,
            columns: [
              ...before.columns.filter((column) => column.id !== id),
              ...(wanted ? [{ id, name, values: new Map() }] : []),
            ],
          },
    );
    const listed = (await ownTables()).from('listed_fields');
    const { error } = wanted
      ? await listed.insert({ field_id: id })
      : await listed.delete().eq('field_id', id);
    if (error !== null) toast.error('The columns could not be changed. Try again.');
    await queries.invalidateQueries({ queryKey });
  };
  return (
    <details className="column-choice">
      <summary className="btn quiet small">Columns</summary>
      <div className="panel pad">
        {kinds.map((kind) => (
          <fieldset key={kind}>
            <legend>{KIND_NAMES[kind]}</legend>
            {data.fields
              .filter((field) => field.kind === kind)
              .map((field) => (
                <label key={field.id}>
                  <input
                    type="checkbox"
                    checked={chosen.has(field.id)}
                    disabled={!chosen.has(field.id) && chosen.size >= MOST_COLUMNS}
                    onChange={({ currentTarget }) => void choose(field, currentTarget.checked)}
                  />
                  {field.name}
                </label>
              ))}
          </fieldset>
        ))}
      </div>
    </details>
  );
}
