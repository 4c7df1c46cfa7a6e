import { type ReactNode, useState } from 'react';
import { useConsoleList } from '../../business/console/parts/console-list.web.ts';
import { ConsoleListView, OpenRows } from '../../business/console/parts/console-list-page.web.tsx';
import { Choice, PageHead } from '../../business/console/parts/console-parts.web.tsx';
import { shortTime } from '../../business/console/parts/time-words.web.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { CallFiguresView } from './call-figures.web.tsx';
import type { CallList, CallsPage, ConsoleCall } from './call-list.contract.ts';
import { CallPanel } from './call-record-panel.web.tsx';
import { lengthOf, reasonWords, stateWords, successWords, typeWords } from './call-words.web.ts';
import { LiveCallsView } from './live-calls.web.tsx';
import { MeetingsView } from './meetings-view.web.tsx';

const VIEWS = [
  ['list', 'Calls'],
  ['meetings', 'Recorded meetings'],
  ['figures', 'Figures'],
] as const;
type View = (typeof VIEWS)[number][0];
const SHOWN: Readonly<Record<View, () => ReactNode>> = {
  list: CallListView,
  meetings: MeetingsView,
  figures: CallFiguresView,
};
const LISTS: readonly (readonly [CallList, string])[] = [
  ['all', 'All'],
  ['live', 'Going on'],
  ['ended', 'Ended'],
  ['scheduled', 'Planned'],
];

/** The console's Calls page: calls in progress, every call with everything known about it, and figures. */
export function CallsView() {
  const [view, setView] = useState<View>('list');
  const Shown = SHOWN[view];
  return (
    <>
      <PageHead heading="Calls" about="Who called the assistants, what was said and what came of it.">
        <fieldset className="console-views">
          <legend className="hidden-text">View</legend>
          {VIEWS.map(([name, words]) => (
            <label key={name}>
              <input type="radio" name="view" checked={view === name} onChange={() => setView(name)} />
              {words}
            </label>
          ))}
        </fieldset>
      </PageHead>
      <LiveCallsView />
      <Shown />
    </>
  );
}

interface Filters extends Readonly<Record<string, string>> {
  readonly list: CallList;
  readonly reason: string;
  readonly assistant: string;
  readonly from: string;
  readonly to: string;
}

function CallListView() {
  const list = useConsoleList<CallsPage, Filters>('calls', {
    filters: { list: 'all', reason: '', assistant: '', from: '', to: '' },
    address: PAGES.operatorCalls.path,
  });
  const isFiltered = Object.values(list.filters).some((value) => value !== '' && value !== 'all');
  return (
    <ConsoleListView
      list={list}
      searchLabel="Search number, name or words"
      filters={<FilterFields filters={list.filters} page={list.query.data} onChoose={list.choose} />}
      empty={isFiltered ? 'Nothing was found.' : 'Nobody has called yet.'}
      hint="Choose a call to read it, play its recording, or delete it."
      rows={(rows) => <OpenRows list={list} rows={rows.map(wordsOf)} />}
      panel={(id, onBack) => <CallPanel id={id} onBack={onBack} />}
    />
  );
}

interface FilterProps {
  readonly filters: Filters;
  readonly page: CallsPage | undefined;
  readonly onChoose: (filters: Filters) => void;
}

function FilterFields({ filters, page, onChoose }: FilterProps) {
  const any = ['', 'Any'] as const;
  const reasons = (page?.reasons ?? []).map((reason) => [reason, reasonWords(reason)] as const);
  const assistants = (page?.assistants ?? []).map(({ id, name }) => [id, name ?? id.slice(0, 8)] as const);
  return (
    <>
      <Choice
        label="Show"
        value={filters.list}
        options={LISTS}
        onChoose={(list) => onChoose({ ...filters, list })}
      />
      <Choice
        label="End"
        value={filters.reason}
        options={[any, ...reasons]}
        onChoose={(reason) => onChoose({ ...filters, reason })}
      />
      <Choice
        label="Assistant"
        value={filters.assistant}
        options={[any, ...assistants]}
        onChoose={(assistant) => onChoose({ ...filters, assistant })}
      />
      <div className="console-days">
        {(['from', 'to'] as const).map((name) => (
          <label className="field console-choice" key={name}>
            <span>{name === 'from' ? 'From' : 'To'}</span>
            <input
              type="date"
              value={filters[name]}
              onChange={({ currentTarget }) => onChoose({ ...filters, [name]: currentTarget.value })}
            />
          </label>
        ))}
      </div>
    </>
  );
}

const wordsOf = (call: ConsoleCall) => ({
  id: call.id,
  name: call.caller ?? typeWords(call.type),
  about: [call.assistant_name, call.recorded ? 'recorded' : null, successWords(call.success)]
    .filter((part) => part !== null)
    .join(' · '),
  state: call.ended_reason === null ? stateWords(call.status) : reasonWords(call.ended_reason),
  note: [shortTime(call.created_at), lengthOf(call.started_at, call.ended_at)]
    .filter((part) => part !== '')
    .join(' · '),
});
