import { useState } from 'react';
import { NEW_ROW, useConsoleList } from '../../business/console/parts/console-list.web.ts';
import { ConsoleListView, OpenRows } from '../../business/console/parts/console-list-page.web.tsx';
import { PageHead } from '../../business/console/parts/console-parts.web.tsx';
import { May } from '../../business/console/parts/console-role.web.tsx';
import { shortTime } from '../../business/console/parts/time-words.web.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { Button } from '../../ui/parts/button.tsx';
import { AssistantPanel } from './assistant-panel.web.tsx';
import type { KeptDrafts } from './assistants/assistant-draft-keeping.web.ts';
import type {
  AssistantSaved,
  AssistantsPage,
  ConsoleAssistant,
} from './assistants/assistant-editor.contract.ts';

/**
 * The console's Assistants page: the words, knowledge and voice of each assistant, its versions, and a call
 * with a draft.
 */
export function AssistantsView() {
  const list = useConsoleList<AssistantsPage>('assistants', {
    filters: {},
    address: PAGES.operatorAssistants.path,
  });
  const [saved, setSaved] = useState<AssistantSaved>();
  const [drafts] = useState<KeptDrafts>(() => new Map());
  const open = (id: string | undefined): void => {
    list.open(id);
    setSaved(undefined);
  };
  return (
    <>
      <PageHead heading="Assistants" about="What each one says, knows and sounds like.">
        <May call="save-assistant">
          <Button look="quiet" onClick={() => open(NEW_ROW)}>
            New assistant
          </Button>
        </May>
      </PageHead>
      <ConsoleListView
        list={list}
        className="assistants"
        searchLabel="Search name, first message or id"
        empty="Nothing was found."
        hint="Choose an assistant to change it, hear it or talk to it."
        rows={(rows) => <OpenRows list={{ openId: list.openId, open }} rows={rows.map(wordsOf)} />}
        panel={(id, onBack) => (
          <AssistantPanel
            id={id === NEW_ROW ? null : id}
            drafts={drafts}
            warnings={saved?.id === id ? saved.warnings : []}
            onSaved={(answer) => {
              setSaved(answer);
              list.open(answer.id);
            }}
            onBack={onBack}
          />
        )}
      />
    </>
  );
}

const wordsOf = (row: ConsoleAssistant) => ({
  id: row.id,
  name: row.name ?? row.id.slice(0, 8),
  about: `Version ${row.version}, ${shortTime(row.updated_at)}`,
  mark: row.is_site && <span className="badge assistant-mark">On the site</span>,
});
