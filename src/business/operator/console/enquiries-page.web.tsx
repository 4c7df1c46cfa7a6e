import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import type { EnquiryList, EnquiryPage, OperatorEnquiry, OperatorOverview } from '../operator.contract.ts';
import { Choice, EmptyState, ListPages, Loaded, SearchField } from './console-parts.web.tsx';
import { EnquiryPanel } from './enquiry-panel.web.tsx';
import { downloadEnquiries, operatorQuery } from './operator-client.web.ts';
import { clockOf, shortTime, useNow } from './time-words.web.ts';

const LISTS: readonly (readonly [EnquiryList, string])[] = [
  ['open', 'Waiting for a reply'],
  ['mine', 'Waiting for me'],
  ['suspect', 'May be advertising'],
  ['answered', 'Answered'],
  ['all', 'All'],
];
const EMPTY: Readonly<Record<EnquiryList, string>> = {
  open: 'All answered.',
  mine: 'You have answered all of yours.',
  suspect: 'Nothing is marked as advertising.',
  answered: 'Nothing has been answered yet.',
  all: 'No enquiry has come yet.',
};

/** Enquiries as a departures board: what is due first stands first. */
export function EnquiriesView({ overview }: { overview: OperatorOverview }) {
  const [list, setList] = useState<EnquiryList>('open');
  const [q, setQ] = useState('');
  const [ends, setEnds] = useState<readonly string[]>([]);
  const [openId, setOpenId] = useState<string>();
  const after = ends.at(-1) ?? '';
  const query = useQuery({
    ...operatorQuery<EnquiryPage>('enquiries', { list, q, after }),
    placeholderData: keepPreviousData,
  });
  const open = query.data?.rows.find(({ id }) => id === openId);
  const show = (next: EnquiryList): void => {
    setList(next);
    setEnds([]);
    setOpenId(undefined);
  };
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Enquiries</h1>
          <p className="live num">
            {overview.open} waiting, {overview.late} due within 4 hours, {overview.overdue} late
          </p>
        </div>
        <Button
          look="quiet"
          onClick={() => {
            downloadEnquiries({ list, q }).catch((error: Error) => toast.error(error.message));
          }}
        >
          Export as CSV
        </Button>
      </div>
      <div className="console-tools">
        <SearchField label="Search enquiries" onSettled={setQ} />
        <Choice label="Show" value={list} options={LISTS} onChoose={show} />
        {overview.suspect > 0 && list !== 'suspect' ? (
          <button type="button" className="text-btn" onClick={() => show('suspect')}>
            {overview.suspect} may be advertising
          </button>
        ) : null}
      </div>
      <div className="console" data-open={open === undefined ? undefined : ''}>
        <div className="console-list">
          <Loaded query={query}>
            {({ rows, next }) => (
              <>
                {rows.length === 0 ? (
                  <EmptyState>{q === '' ? EMPTY[list] : 'Nothing was found.'}</EmptyState>
                ) : null}
                {rows.length > 0 ? <Departures rows={rows} openId={open?.id} onOpen={setOpenId} /> : null}
                <ListPages ends={ends} next={next} onEnds={setEnds} />
              </>
            )}
          </Loaded>
        </div>
        {open === undefined ? (
          <p className="console-hint meta">
            Choose an enquiry to read it, note what was said and stop its clock.
          </p>
        ) : (
          <EnquiryPanel
            key={open.id}
            enquiry={open}
            colleagues={overview.colleagues}
            onBack={() => setOpenId(undefined)}
          />
        )}
      </div>
    </>
  );
}

interface DeparturesProps {
  rows: readonly OperatorEnquiry[];
  openId: string | undefined;
  onOpen: (id: string) => void;
}

function Departures({ rows, openId, onOpen }: DeparturesProps) {
  const now = useNow();
  return (
    <ol className="departures">
      {rows.map((row) => {
        const face = clockOf(row, now);
        return (
          <li key={row.id}>
            <button
              type="button"
              aria-current={row.id === openId ? 'true' : undefined}
              data-tone={face.tone}
              onClick={() => onOpen(row.id)}
            >
              <span className="departure-time num">
                <b>{face.figure}</b>
                <small>{face.word}</small>
              </span>
              <span className="departure-who">
                <b>{row.name}</b>
                <span>
                  {row.enquiry_type} · {shortTime(row.created_at)}
                  {row.assignee === null ? '' : ` · ${row.assignee}`}
                </span>
                {row.suspect_reasons.length > 0 ? (
                  <span className="departure-mark">{row.suspect_reasons.join(', ')}</span>
                ) : null}
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
