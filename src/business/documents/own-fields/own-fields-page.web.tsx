import { SURE_ENOUGH } from '@northline/document-reader/confidence-threshold.contract';
import { KIND_NAMES } from '@northline/document-reader/kind-names.contract';
import type { DocumentKind } from '@northline/document-reader/report.contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Link, useSearchParams } from 'wouter';
import { compareNames } from '../../../kernel/contract/formats.ts';
import { analysisPath, PAGES } from '../../../kernel/contract/routes.ts';
import { site } from '../../../ui/brand.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { LoadedPage } from '../../../ui/parts/loaded.tsx';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import { saveAs } from '../exports/report-exports.web.tsx';
import {
  FIELD_REACHES,
  type FieldReach,
  OWN_FIELD_FUNCTIONS,
  type OwnFieldDocument,
  type OwnFieldTable,
  reachOf,
} from './own-field.contract.ts';
import { fieldTableQuery, reachWith, removeField } from './own-field.web.ts';

/** The documents of a kind with the customer's own fields as columns. */
export function OwnFieldsPage({ userId }: { userId: string }) {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('kind');
  const kind = asked !== null && asked in KIND_NAMES ? (asked as DocumentKind) : undefined;
  const table = useQuery(fieldTableQuery(userId, kind));
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Fields</h1>
          <p className="meta">
            What you read from your documents, one column for each field that you named.{' '}
            <Link href={PAGES.rules.path}>Rules for documents that arrive</Link>
          </p>
        </div>
        {table.data?.kind != null && table.data.fields.length > 0 && <Exports kind={table.data.kind} />}
      </div>
      <LoadedPage query={table} failed="The fields could not be loaded">
        {(data) =>
          data.kind === null ? (
            <section className="panel empty">
              <EmptyMark />
              <h2>No documents yet</h2>
              <p className="meta">Analyse a document, then name a field on its report.</p>
              <ButtonLink look="signal" href={PAGES.dashboard.path}>
                Go to Files
              </ButtonLink>
            </section>
          ) : (
            <>
              <KindChoice table={data} onKind={(next) => setSearch({ kind: next })} />
              <Documents key={data.kind} userId={userId} table={data} />
            </>
          )
        }
      </LoadedPage>
    </>
  );
}

function KindChoice({
  table: { kinds, kind },
  onKind,
}: {
  table: OwnFieldTable;
  onKind: (kind: string) => void;
}) {
  return (
    <label className="kind-choice">
      Kind of document{' '}
      <select value={kind ?? ''} onChange={(event) => onKind(event.target.value)}>
        {kinds.map((each) => (
          <option key={each.kind} value={each.kind}>
            {KIND_NAMES[each.kind]} ({each.documents})
          </option>
        ))}
      </select>
    </label>
  );
}

/** A column to sort by: the file, or a field's id. */
interface Order {
  readonly by: string;
  readonly down: boolean;
}

const FILE = 'file';

function Documents({
  userId,
  table: { fields, documents, more, reaches },
}: {
  userId: string;
  table: OwnFieldTable;
}) {
  const [wanted, setWanted] = useState('');
  const [order, setOrder] = useState<Order>();
  if (fields.length === 0)
    return (
      <section className="panel empty">
        <EmptyMark />
        <h2>No fields for this kind yet</h2>
        <p className="meta">Open a report of this kind and name a field under “Your fields”.</p>
        {documents[0] !== undefined && (
          <ButtonLink look="signal" href={analysisPath(documents[0].file_id)}>
            Open the latest report
          </ButtonLink>
        )}
      </section>
    );
  const shown = sorted(
    documents.filter((each) => has(each, wanted)),
    order,
  );
  const press = (by: string): void => setOrder({ by, down: order?.by === by && !order.down });
  return (
    <>
      <label className="field-search">
        Search in the fields{' '}
        <input type="search" value={wanted} onChange={(event) => setWanted(event.target.value)} />
      </label>
      {more && <p className="meta">Only the latest {documents.length} documents are listed.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls */}
      <section className="panel pad data-table field-table" aria-label="Documents and fields" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <Head name="Document" by={FILE} order={order} onPress={press} />
              {fields.map((field) => (
                <Head key={field.id} name={field.name} by={field.id} order={order} onPress={press}>
                  <FieldTools userId={userId} field={field} reaches={reaches} />
                </Head>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((each) => (
              <tr key={each.file_id}>
                <th scope="row">
                  <Link href={analysisPath(each.file_id)}>{each.file_name}</Link>
                </th>
                {fields.map(({ id }) => (
                  <ValueCell key={id} value={fieldValue(each, id)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length === 0 && <p>There are none.</p>}
      </section>
    </>
  );
}

interface HeadProps {
  readonly name: string;
  readonly by: string;
  readonly order: Order | undefined;
  readonly onPress: (by: string) => void;
  readonly children?: React.ReactNode;
}

function Head({ name, by, order, onPress, children }: HeadProps) {
  const now = order?.by === by ? order : undefined;
  const Arrow = now?.down === true ? ArrowDown : ArrowUp;
  return (
    <th scope="col" aria-sort={now === undefined ? undefined : now.down ? 'descending' : 'ascending'}>
      <button type="button" className="text-btn" onClick={() => onPress(by)}>
        {name}
        {now !== undefined && <Arrow size={14} aria-hidden="true" />}
      </button>
      {children}
    </th>
  );
}

/** What a field's reach is called. */
const REACH_WORDS: Readonly<Record<FieldReach, string>> = {
  own: 'your documents',
  team: 'documents of your team',
  customers: 'documents of all customers',
};

interface FieldToolsProps {
  readonly userId: string;
  readonly field: OwnFieldTable['fields'][number];
  readonly reaches: readonly FieldReach[];
}

/** How many examples a field has, from whose documents it is read, and its removal, which asks once more. */
function FieldTools({ userId, field, reaches }: FieldToolsProps) {
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const { id, name, examples } = field;
  const reach = reachOf(field);
  const isMine = field.user_id === userId || (reach === 'customers' && reaches.includes('customers'));
  if (!isMine)
    return (
      <span className="meta field-tools">
        {reach === 'team' ? 'shared in your team' : `named by ${site.brand}`}
      </span>
    );
  const change = async (act: () => Promise<void>, failed: string): Promise<void> => {
    try {
      await act();
      await queries.invalidateQueries({ queryKey: ['files'] });
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      toast.error(said ?? failed);
    }
  };
  const remove = () => change(() => removeField(id), 'The field could not be removed. Try again.');
  const give = (next: FieldReach) =>
    change(() => reachWith(id, next), 'That could not be changed. Try again.');
  return (
    <span className="meta field-tools">
      {reach === 'own' && (examples === 1 ? '1 example' : `${examples} examples`)}
      {reaches.length > 1 && (
        <select
          aria-label={`Read ${name} from`}
          value={reach}
          onChange={({ currentTarget }) => void give(currentTarget.value as FieldReach)}
        >
          {FIELD_REACHES.filter((each) => each === reach || reaches.includes(each)).map((each) => (
            <option key={each} value={each}>
              {REACH_WORDS[each]}
            </option>
          ))}
        </select>
      )}
      {asks ? (
        <>
          <button type="button" className="text-btn" onClick={() => void remove()}>
            Remove {name} and its values
          </button>
          <button type="button" className="text-btn" onClick={() => setAsks(false)}>
            Keep it
          </button>
        </>
      ) : (
        <button
          type="button"
          className="text-btn"
          aria-label={`Remove ${name}`}
          onClick={() => setAsks(true)}
        >
          Remove
        </button>
      )}
    </span>
  );
}

type Value = OwnFieldDocument['values'][number] | undefined;

function ValueCell({ value }: { value: Value }) {
  if (value === undefined) return <td className="meta">not read yet</td>;
  if (value.value === null) return <td className="meta">not found</td>;
  return (
    <td>
      {value.value}
      {!value.given && value.confidence < SURE_ENOUGH && (
        <span className="sureness" data-level="1">
          not sure
        </span>
      )}
    </td>
  );
}

const fieldValue = ({ values }: OwnFieldDocument, field: string): Value =>
  values.find((each) => each.field_id === field);

function has(document: OwnFieldDocument, wanted: string): boolean {
  const text = wanted.trim().toLowerCase();
  const texts = [document.file_name, document.title, ...document.values.map(({ value }) => value ?? '')];
  return text === '' || texts.some((each) => each.toLowerCase().includes(text));
}

/** Documents without a value come last in both directions. */
function sorted(
  documents: readonly OwnFieldDocument[],
  order: Order | undefined,
): readonly OwnFieldDocument[] {
  if (order === undefined) return documents;
  const keyOf = (each: OwnFieldDocument): string | null => {
    if (order.by === FILE) return each.file_name;
    const value = fieldValue(each, order.by);
    return value?.normalized ?? value?.value ?? null;
  };
  return documents.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    return (order.down ? -1 : 1) * compareNames(left, right);
  });
}

function Exports({ kind }: { kind: DocumentKind }) {
  const save = async (format: 'xlsx' | 'csv' | 'json'): Promise<void> => {
    try {
      const address = `${OWN_FIELD_FUNCTIONS.export}?kind=${kind}&format=${format}`;
      const reply = await callServer(address, { as: 'user' });
      saveAs(await reply.blob(), `${KIND_NAMES[kind]} fields.${format}`);
    } catch {
      toast.error('The table could not be saved. Try again.');
    }
  };
  return (
    <div className="field-exports">
      <Button small look="quiet" onClick={() => void save('xlsx')}>
        Excel
      </Button>
      <Button small look="quiet" onClick={() => void save('csv')}>
        CSV
      </Button>
      <Button small look="quiet" onClick={() => void save('json')}>
        JSON
      </Button>
    </div>
  );
}
