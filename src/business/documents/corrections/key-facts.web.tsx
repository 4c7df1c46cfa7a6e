import { useQueryClient } from '@tanstack/react-query';
import { Check, Copy, Pencil, RotateCcw, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { formatIsoDay } from '../../../kernel/contract/dates.ts';
import { CallRefused } from '../../../ui/session/server-call.ts';
import { announce } from '../../files/list/announcer.web.tsx';
import { CiteChips } from '../viewer/quote-jump.web.tsx';
import { isMasked, masked, useSensitive } from '../viewer/sensitive-mask.web.tsx';
import type { Fact } from './fact-correction.contract.ts';
import { correctFact, forgetCorrection } from './fact-correction.web.ts';
import { FactTable, IconButton } from './fact-table.web.tsx';

/** A value with less confidence should be checked. */
const DOUBTFUL = 0.5;
const SURE = 0.85;

/**
 * Key facts: field, value, confidence, and place. With `fileId` each can be corrected; the analyser's value stays visible
 * under the corrected one.
 */
export function KeyFacts({ facts, fileId }: { facts: readonly Fact[]; fileId: string | undefined }) {
  const [edited, setEdited] = useState<string>();
  if (facts.length === 0) return null;
  return (
    <section className="panel pad" aria-labelledby="facts-title">
      <h2 id="facts-title">Key facts</h2>
      <FactTable>
        {facts.map((fact) => {
          const id = `${fact.key} ${fact.correction?.original ?? fact.value}`;
          return (
            <FactRow
              key={id}
              fact={fact}
              fileId={fileId}
              edited={edited === id}
              onEdit={(open) => setEdited(open ? id : undefined)}
            />
          );
        })}
      </FactTable>
    </section>
  );
}

interface FactRowProps {
  readonly fact: Fact;
  readonly fileId: string | undefined;
  readonly edited: boolean;
  readonly onEdit: (open: boolean) => void;
}

function FactRow({ fact, fileId, edited, onEdit }: FactRowProps) {
  const hides = isMasked(fact.cites, useSensitive());
  return (
    <tr>
      <th scope="row">{fact.label}</th>
      <td>
        {edited && fileId !== undefined ? (
          <FactEditor fact={fact} fileId={fileId} onClose={() => onEdit(false)} />
        ) : (
          <FactValue fact={fact} own={fileId !== undefined} />
        )}
      </td>
      <td>
        {fact.cites.length > 0 ? <CiteChips cites={fact.cites.slice(0, 3)} hidden={hides} /> : sourceOf(fact)}
      </td>
      <td className="fact-acts">
        <CopyButton fact={fact} />
        {fileId !== undefined && (
          <IconButton label={`Correct ${fact.label}`} onPress={() => onEdit(!edited)}>
            <Pencil size={15} aria-hidden="true" />
          </IconButton>
        )}
      </td>
    </tr>
  );
}

function FactValue({ fact, own }: { fact: Fact; own: boolean }) {
  const { correction } = fact;
  const sensitive = useSensitive();
  const hides = isMasked(fact.cites, sensitive);
  const shownAs = (text: string): string => (hides ? masked(text) : text);
  return (
    <>
      <span className="fact-value">{shownAs(fact.value)}</span>
      {hides ? (
        <button type="button" className="text-btn" onClick={() => sensitive.setShown(true)}>
          Show it
        </button>
      ) : (
        <Meaning fact={fact} />
      )}
      {fact.source === 'model' && <span className="remark"> from a language model</span>}
      {correction === undefined ? (
        <Confidence fact={fact} />
      ) : (
        <span className="remark">
          {' '}
          {correction.precedent_id == null
            ? `corrected ${own ? 'by you ' : ''}on ${formatIsoDay(correction.corrected_at.slice(0, 10))}`
            : 'as you corrected an earlier document of this sender'}
          ; read as “{shownAs(correction.original)}”{' '}
          {own && correction.precedent_id != null && <ForgetButton precedentId={correction.precedent_id} />}
        </span>
      )}
    </>
  );
}

/** Forgets the earlier correction; every document that was read by it shows again what was read. */
function ForgetButton({ precedentId }: { precedentId: string }) {
  const queries = useQueryClient();
  const [fault, setFault] = useState<string>();
  const forget = async (): Promise<void> => {
    try {
      await forgetCorrection(precedentId);
      await queries.invalidateQueries({ queryKey: ['files'] });
      announce('Forgotten');
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      setFault(said ?? 'That could not be saved. Try again.');
    }
  };
  return (
    <>
      <button type="button" className="text-btn" onClick={() => void forget()}>
        Forget this correction
      </button>
      {fault !== undefined && <span className="fault"> {fault}</span>}
    </>
  );
}

/** The meaning of a value, if its print does not make that plain. */
function Meaning({ fact: { type, value, normalized } }: { fact: Fact }) {
  if (normalized === undefined || normalized === value) return null;
  if (type === 'date' && /^[\d./-]+$/.test(value))
    return <span className="remark"> {formatIsoDay(normalized)}</span>;
  return type === 'currency' ? <span className="remark"> {normalized}</span> : null;
}

/** How sure the analyser is, in words and as three dots on a line. */
function Confidence({ fact: { confidence } }: { fact: Fact }) {
  const level = confidence >= SURE ? 3 : confidence >= DOUBTFUL ? 2 : 1;
  const words = { 3: 'sure', 2: 'likely', 1: 'please check' }[level];
  return (
    <span className="sureness" data-level={level} title={`${Math.round(confidence * 100)}% sure`}>
      <svg viewBox="0 0 26 8" aria-hidden="true">
        {[4, 13, 22].map((x, index) => (
          <circle key={x} cx={x} cy={4} r={3} data-lit={index < level ? '' : undefined} />
        ))}
      </svg>
      {level === 3 ? <span className="hidden-text">{words}</span> : words}
    </span>
  );
}

function FactEditor({ fact, fileId, onClose }: { fact: Fact; fileId: string; onClose: () => void }) {
  const queries = useQueryClient();
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const save = async (value: string | null): Promise<void> => {
    setBusy(true);
    try {
      await correctFact(fileId, fact, value);
      await queries.invalidateQueries({ queryKey: ['files'] });
      announce(value === null ? `${fact.label}: as it was read` : `${fact.label} corrected`);
      onClose();
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      setFault(said ?? 'The correction could not be saved. Try again.');
      setBusy(false);
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const value = String(new FormData(event.currentTarget).get('value') ?? '').trim();
    if (value === '') setFault('Write a value, or leave it as it was read.');
    else void save(value);
  };
  return (
    <form
      className="fact-editor"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <input
        name="value"
        // biome-ignore lint/a11y/noAutofocus: the button that was pressed asked for this field
        autoFocus
        maxLength={2000}
        defaultValue={fact.value}
        aria-label={fact.label}
        aria-invalid={fault === undefined ? undefined : true}
        aria-describedby={fault === undefined ? undefined : 'fact-fault'}
      />
      <button type="submit" className="icon-btn" aria-label="Save" aria-busy={busy || undefined}>
        <Check size={16} aria-hidden="true" />
      </button>
      <IconButton label="Leave it" onPress={onClose}>
        <X size={16} aria-hidden="true" />
      </IconButton>
      {fact.correction !== undefined && (
        <IconButton label="Back to what was read" onPress={() => void save(null)}>
          <RotateCcw size={15} aria-hidden="true" />
        </IconButton>
      )}
      {fault !== undefined && (
        <p className="fault" id="fact-fault" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}

function CopyButton({ fact }: { fact: Fact }) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(fact.value);
      setCopied(true);
      announce(`${fact.label} copied`);
    } catch {
      announce('The browser did not allow copying.');
    }
  };
  return (
    <IconButton label={`Copy ${fact.label}`} onPress={() => void copy()}>
      {copied ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
    </IconButton>
  );
}

function sourceOf({ source, correction }: Fact): string {
  if (correction !== undefined) return 'you';
  if (source === 'xml') return 'e-invoice data';
  return source === 'external' ? 'automation' : '';
}
