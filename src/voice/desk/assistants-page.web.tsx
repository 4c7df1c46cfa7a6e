import { useState } from 'react';
import { useConsoleList } from '../../business/operator/console/console-list.web.ts';
import {
  EmptyState,
  ListPages,
  Loaded,
  OpenRow,
  SearchField,
} from '../../business/operator/console/console-parts.web.tsx';
import { shortTime } from '../../business/operator/console/time-words.web.ts';
import { Button } from '../../ui/parts/button.tsx';
import { AssistantPanel } from './assistant-panel.web.tsx';
import type { AssistantSaved, AssistantsPage, DeskAssistant } from './assistants/assistant-desk.contract.ts';
import type { KeptDrafts } from './assistants/draft-keeping.web.ts';

/**
 * The console's Assistants page: the words, knowledge and voice of each assistant, its versions, and a call
 * with a draft.
 */
export function AssistantsView() {
  const { query, ends, setEnds, search } = useConsoleList<AssistantsPage>('assistants', {});
  // Null for a new assistant; undefined while none is open.
  const [openId, setOpenId] = useState<string | null>();
  const [saved, setSaved] = useState<AssistantSaved>();
  const [drafts] = useState<KeptDrafts>(() => new Map());
  const open = (id: string | null): void => {
    setOpenId(id);
    setSaved(undefined);
  };
  return (
    <>
      <div className="lead-in desk-lead">
        <div>
          <h1 tabIndex={-1}>Assistants</h1>
          <p className="meta">What each one says, knows and sounds like.</p>
        </div>
        <Button look="quiet" onClick={() => open(null)}>
          New assistant
        </Button>
      </div>
      <div className="console-tools">
        <SearchField label="Search name, first message or id" onSettled={search} />
      </div>
      <div className="console assistants" data-open={openId === undefined ? undefined : ''}>
        <div className="console-list">
          <Loaded query={query}>
            {({ rows, next }) => (
              <>
                {rows.length === 0 ? (
                  <EmptyState>Nothing was found.</EmptyState>
                ) : (
                  <AssistantRows rows={rows} openId={openId} onOpen={open} />
                )}
                <ListPages ends={ends} next={next} onEnds={setEnds} />
              </>
            )}
          </Loaded>
        </div>
        {openId === undefined ? (
          <p className="console-hint meta">Choose an assistant to change it, hear it or talk to it.</p>
        ) : (
          <AssistantPanel
            key={openId}
            id={openId}
            drafts={drafts}
            warnings={saved?.id === openId ? saved.warnings : []}
            onSaved={(answer) => {
              setSaved(answer);
              setOpenId(answer.id);
            }}
            onBack={() => setOpenId(undefined)}
          />
        )}
      </div>
    </>
  );
}

interface RowsProps {
  readonly rows: readonly DeskAssistant[];
  readonly openId: string | null | undefined;
  readonly onOpen: (id: string) => void;
}

function AssistantRows({ rows, openId, onOpen }: RowsProps) {
  return (
    <ul className="panel rows people">
      {rows.map((row) => (
        <OpenRow
          key={row.id}
          isOpen={row.id === openId}
          onOpen={() => onOpen(row.id)}
          name={row.name ?? row.id.slice(0, 8)}
          about={`Version ${row.version}, ${shortTime(row.updated_at)}`}
        >
          {row.is_site && <span className="badge assistant-mark">On the site</span>}
        </OpenRow>
      ))}
    </ul>
  );
}
