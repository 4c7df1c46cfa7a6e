import { useQuery } from '@tanstack/react-query';
import { toast } from 'react-hot-toast/headless';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import type { EnquiryList, EnquiryPage, OperatorEnquiry, OperatorOverview } from '../console.contract.ts';
import { useConsoleList } from '../parts/console-list.web.ts';
import { ConsoleListView } from '../parts/console-list-page.web.tsx';
import { Choice } from '../parts/console-parts.web.tsx';
import { May } from '../parts/console-role.web.tsx';
import { downloadEnquiries, operatorQuery } from '../parts/operator-client.web.ts';
import { clockOf, shortTime, useNow } from '../parts/time-words.web.ts';
import { EnquiryPanel, suspicionWords } from './enquiry-panel.web.tsx';

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
  const list = useConsoleList<EnquiryPage, { list: EnquiryList }>('enquiries', {
    filters: { list: 'open' },
    address: PAGES.operatorEnquiries.path,
  });
  const { query, q, openId } = list;
  const shown = list.filters.list;
  const listed = query.data?.rows.find(({ id }) => id === openId);
  // An address may name an enquiry of another list, or of another page of this one.
  const named = useQuery({
    ...operatorQuery<EnquiryPage>('enquiries', { list: 'all', id: openId ?? '' }),
    enabled: openId !== undefined && query.data !== undefined && listed === undefined,
  });
  const open = openId === undefined ? undefined : (listed ?? named.data?.rows[0]);
  const show = (next: EnquiryList): void => {
    list.choose({ list: next });
    list.open(undefined);
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
        <May call="enquiries.csv">
          <Button
            look="quiet"
            onClick={() => {
              downloadEnquiries({ list: shown, q }).catch((error: Error) => toast.error(error.message));
            }}
          >
            Export as CSV
          </Button>
        </May>
      </div>
      <ConsoleListView
        list={list}
        searchLabel="Search enquiries"
        filters={
          <>
            <Choice label="Show" value={shown} options={LISTS} onChoose={show} />
            {overview.suspect > 0 && shown !== 'suspect' ? (
              <button type="button" className="text-btn" onClick={() => show('suspect')}>
                {overview.suspect} may be advertising
              </button>
            ) : null}
          </>
        }
        empty={EMPTY[shown]}
        hint="Choose an enquiry to read it, note what was said and stop its clock."
        rows={(rows) => <Departures rows={rows} openId={open?.id} onOpen={list.open} />}
        panel={(_id, onBack) =>
          open === undefined ? null : (
            <EnquiryPanel enquiry={open} colleagues={overview.colleagues} onBack={onBack} />
          )
        }
      />
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
              data-record=""
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
                  <span className="departure-mark">{suspicionWords(row.suspect_reasons)}</span>
                ) : null}
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
