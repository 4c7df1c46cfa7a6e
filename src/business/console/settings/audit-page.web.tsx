import { Loaded } from '../../../ui/parts/loaded.tsx';
import { useConsoleList } from '../parts/console-list.web.ts';
import { Choice, EmptyState, ListPages, PageHead, SearchField } from '../parts/console-parts.web.tsx';
import { shortTime } from '../parts/time-words.web.ts';
import type { AuditEntry, AuditPage } from './settings.contract.ts';

const LOGS = [
  ['all', 'All'],
  ['console', 'Console'],
  ['accounts', 'Accounts'],
  ['payments', 'Payments'],
] as const;
const NAMES: Readonly<Record<AuditEntry['log'], string>> = {
  console: 'Console',
  accounts: 'Account',
  payments: 'Payment',
};

/** The console's Audit page: who did what, in all logs. */
export function AuditView() {
  const list = useConsoleList<AuditPage, { log: (typeof LOGS)[number][0] }>('audit', {
    filters: { log: 'all' },
  });
  return (
    <>
      <PageHead heading="Audit log" about="Who did what and when. Nobody can change or delete an entry." />
      <div className="console-tools">
        <SearchField label="Search person, action or subject" onSettled={list.search} />
        <Choice
          label="Show"
          value={list.filters.log}
          options={LOGS}
          onChoose={(log) => list.choose({ log })}
        />
      </div>
      <div className="audit">
        <Loaded query={list.query}>
          {({ rows, next }) => (
            <>
              {rows.length === 0 ? (
                <EmptyState>Nothing was found.</EmptyState>
              ) : (
                <ul className="panel rows">
                  {rows.map((entry) => (
                    <Entry key={`${entry.log} ${entry.id}`} entry={entry} />
                  ))}
                </ul>
              )}
              <ListPages ends={list.ends} next={next} onEnds={list.setEnds} />
            </>
          )}
        </Loaded>
      </div>
    </>
  );
}

function Entry({ entry: { log, at, sentence, role, action, subject, details } }: { entry: AuditEntry }) {
  return (
    <li className="row">
      <div className="name">
        <p>{sentence}</p>
        <p className="meta num">
          {shortTime(at)}
          {role === null ? '' : ` · as ${role}`}
        </p>
        <details className="audit-details meta">
          <summary>Details</summary>
          <dl>
            <Detail term="Code" words={action} />
            {subject === '' ? null : (
              <Detail term={log === 'console' ? 'Subject' : 'Address'} words={subject} />
            )}
            {Object.entries(details).map(([name, value]) => (
              <Detail
                key={name}
                term={name}
                words={typeof value === 'object' ? JSON.stringify(value) : String(value)}
              />
            ))}
          </dl>
        </details>
      </div>
      <span className="badge" data-status="none">
        {NAMES[log]}
      </span>
    </li>
  );
}

const Detail = ({ term, words }: { term: string; words: string }) => (
  <div>
    <dt>{term}</dt>
    <dd>
      <code>{words}</code>
    </dd>
  </div>
);
