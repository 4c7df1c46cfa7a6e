import { SURE_ENOUGH } from '@northline/document-reader/confidence-threshold.contract';
import { KIND_NAMES } from '@northline/document-reader/kind-names.contract';
import type { Block, DocumentKind } from '@northline/document-reader/report.contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, Pencil, SquareDashedMousePointer, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import { announce } from '../../files/list/announcer.web.tsx';
import { FactTable, IconButton } from '../corrections/fact-table.web.tsx';
import { CiteChips } from '../viewer/quote-jump.web.tsx';
import { BoxDrawing, type DrawnWords } from './box-drawing.web.tsx';
import { ENOUGH_EXAMPLES, LONGEST_NAME, type OwnField, type OwnFieldValue } from './own-field.contract.ts';
import { defineField, fieldsOfFileQuery, isBeingRead, teachField } from './own-field.web.ts';

interface OwnFieldsProps {
  readonly userId: string;
  readonly fileId: string;
  readonly kind: DocumentKind;
  readonly blocks: readonly Block[];
  /** Shows the document where a box can be drawn, and the report again. */
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

/** The fields that the customer named for this kind of document: their values here, and the way to teach them. */
export function OwnFieldsPanel(props: OwnFieldsProps) {
  const { userId, fileId, kind } = props;
  const stored = useQuery(fieldsOfFileQuery(userId, fileId, kind));
  const [edited, setEdited] = useState<string>();
  const fields = stored.data?.fields ?? [];
  return (
    <section className="panel pad own-fields" aria-labelledby="own-fields-title">
      <h2 id="own-fields-title">Your fields</h2>
      <p className="meta">
        Name what you need from every document{' '}
        {kind === 'other' ? 'whose kind was not recognised' : `of the kind “${KIND_NAMES[kind]}”`}, and show
        it on {ENOUGH_EXAMPLES} of them. The others are then read for it, at no charge.{' '}
        <Link href={`${PAGES.fields.path}?kind=${kind}`}>See the fields of all your documents</Link>
      </p>
      {stored.isError && (
        <p className="fault" role="alert">
          Your fields could not be loaded.{' '}
          <button type="button" className="text-btn" onClick={() => void stored.refetch()}>
            Try again
          </button>
        </p>
      )}
      {fields.length > 0 && (
        <FactTable>
          {fields.map((field) => (
            <FieldRow
              key={field.id}
              {...props}
              field={field}
              value={stored.data?.values.find((each) => each.field_id === field.id)}
              edited={edited === field.id}
              onEdit={(open) => setEdited(open ? field.id : undefined)}
            />
          ))}
        </FactTable>
      )}
      <NewField kind={kind} />
    </section>
  );
}

interface FieldRowProps extends OwnFieldsProps {
  readonly field: OwnField;
  readonly value: OwnFieldValue | undefined;
  readonly edited: boolean;
  readonly onEdit: (open: boolean) => void;
}

function FieldRow(props: FieldRowProps) {
  const { field, value, edited, onEdit } = props;
  const cites = value?.cites ?? [];
  return (
    <tr>
      <th scope="row">{field.name}</th>
      <td>{edited ? <Teaching {...props} /> : <ValueText field={field} value={value} />}</td>
      <td>{cites.length > 0 && <CiteChips cites={cites} />}</td>
      <td className="fact-acts">
        <IconButton label={`Show ${field.name}`} onPress={() => onEdit(!edited)}>
          <Pencil size={15} aria-hidden="true" />
        </IconButton>
      </td>
    </tr>
  );
}

function ValueText({ field, value }: { field: OwnField; value: OwnFieldValue | undefined }) {
  if (isBeingRead(field, value)) return <span className="remark">Reading…</span>;
  if (value === undefined) return <span className="remark">Not shown yet</span>;
  if (value.value === null)
    return (
      <span className="remark">
        {value.given ? 'Not in this document, as you said' : 'Not found in this document'}
      </span>
    );
  return (
    <>
      <span className="fact-value">{value.value}</span>
      {value.given ? (
        <span className="remark"> as you showed</span>
      ) : (
        value.confidence < SURE_ENOUGH && (
          <span className="sureness" data-level="1" title={`${Math.round(value.confidence * 100)}% sure`}>
            not sure
          </span>
        )
      )}
    </>
  );
}

/** Takes the value of a field in this document: typed, drawn, or that there is none. */
function Teaching({ field, value, fileId, blocks, onEdit, onOpen, onClose }: FieldRowProps) {
  const queries = useQueryClient();
  const [drawing, setDrawing] = useState(false);
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const teach = async (given: string | null | undefined, place?: DrawnWords['place']): Promise<void> => {
    setBusy(true);
    try {
      await teachField({ fieldId: field.id, fileId, value: given, place });
      await queries.invalidateQueries({ queryKey: ['files'] });
      announce(`${field.name} saved`);
      onEdit(false);
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      setFault(said ?? 'That could not be saved. Try again.');
      setBusy(false);
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get('value') ?? '').trim();
    if (typed === '') setFault('Write the value as it is printed, or draw a box around it.');
    else void teach(typed);
  };
  const endDrawing = (): void => {
    setDrawing(false);
    onClose();
  };
  const drawn = ({ value: words, place }: DrawnWords): void => {
    endDrawing();
    if (words === '') setFault('There are no words in this box. Draw it around the value.');
    else void teach(words, place);
  };
  return (
    <form
      className="fact-editor"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && !drawing && onEdit(false)}
    >
      <input
        name="value"
        // biome-ignore lint/a11y/noAutofocus: the button that was pressed asked for this field
        autoFocus
        maxLength={2000}
        defaultValue={value?.value ?? ''}
        placeholder="As it is printed"
        aria-label={field.name}
        aria-invalid={fault === undefined ? undefined : true}
        aria-describedby={fault === undefined ? undefined : 'own-field-fault'}
      />
      <button type="submit" className="icon-btn" aria-label="Save" aria-busy={busy || undefined}>
        <Check size={16} aria-hidden="true" />
      </button>
      <button type="button" className="icon-btn" aria-label="Leave it" onClick={() => onEdit(false)}>
        <X size={16} aria-hidden="true" />
      </button>
      {fault !== undefined && (
        <p className="fault" id="own-field-fault" role="alert">
          {fault}
        </p>
      )}
      <div className="teaching-ways">
        <Button
          small
          look="quiet"
          aria-pressed={drawing}
          onClick={() => {
            setFault(undefined);
            setDrawing(!drawing);
            if (!drawing) onOpen();
          }}
        >
          <SquareDashedMousePointer size={16} aria-hidden="true" />
          {drawing ? 'Draw around the value' : 'Draw a box'}
        </Button>
        <Button small look="quiet" busy={busy} onClick={() => void teach(null)}>
          Not in this document
        </Button>
        {value?.given === true && (
          <Button small look="quiet" busy={busy} onClick={() => void teach(undefined)}>
            Forget it
          </Button>
        )}
      </div>
      {drawing && <BoxDrawing blocks={blocks} onDrawn={drawn} onCancel={endDrawing} />}
    </form>
  );
}

function NewField({ kind }: { kind: DocumentKind }) {
  const queries = useQueryClient();
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const name = String(new FormData(form).get('name') ?? '').trim();
    if (name === '') {
      setFault('Give the field a name.');
      return;
    }
    setBusy(true);
    try {
      await defineField(kind, name);
      setFault(undefined);
      form.reset();
      announce(`${name} added`);
      await queries.invalidateQueries({ queryKey: ['files'] });
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      setFault(said ?? 'The field could not be added. Try again.');
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="new-field" onSubmit={(event) => void submit(event)}>
      <label>
        New field{' '}
        <input
          name="name"
          maxLength={LONGEST_NAME}
          placeholder="Cost centre"
          aria-invalid={fault === undefined ? undefined : true}
          aria-describedby={fault === undefined ? undefined : 'new-field-fault'}
        />
      </label>
      <Button type="submit" small look="quiet" busy={busy}>
        Add it
      </Button>
      {fault !== undefined && (
        <p className="fault" id="new-field-fault" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}
