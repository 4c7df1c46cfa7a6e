import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { ConsolePanel } from '../../business/console/parts/console-list-page.web.tsx';
import { May, MayWrite } from '../../business/console/parts/console-role.web.tsx';
import { operatorQuery, postAsOperator } from '../../business/console/parts/operator-client.web.ts';
import { Button } from '../../ui/parts/button.tsx';
import { Loaded } from '../../ui/parts/loaded.tsx';
import { TestNow } from '../site/test-now.web.tsx';
import { type KeptDrafts, useDraft } from './assistants/assistant-draft-keeping.web.ts';
import type { AssistantDetail, AssistantSaved, DraftCall } from './assistants/assistant-editor.contract.ts';
import { AssistantFields } from './assistants/assistant-fields.web.tsx';
import { AssistantVersions } from './assistants/assistant-versions.web.tsx';
import { DeleteButton } from './delete-button.web.tsx';
import { AssistantTests } from './evaluations/assistant-tests.web.tsx';

interface PanelProps {
  /** Null for a new one. */
  readonly id: string | null;
  readonly drafts: KeptDrafts;
  /** The settings of the last save that are kept but have no effect. */
  readonly warnings: readonly string[];
  readonly onSaved: (saved: AssistantSaved) => void;
  readonly onBack: () => void;
}

/** One assistant: what it says, knows and sounds like, a call with the draft, and its versions. */
export function AssistantPanel({ id, drafts, warnings, onSaved, onBack }: PanelProps) {
  const query = useQuery(operatorQuery<AssistantDetail>('assistant', { id: id ?? '' }));
  return (
    <ConsolePanel label="Assistant" className="assistant-panel" onBack={onBack}>
      <Loaded query={query}>
        {(detail) => (
          <Editor detail={detail} drafts={drafts} warnings={warnings} onSaved={onSaved} onBack={onBack} />
        )}
      </Loaded>
    </ConsolePanel>
  );
}

type EditorProps = Omit<PanelProps, 'id'> & { readonly detail: AssistantDetail };

function Editor({ detail, drafts, warnings, onSaved, onBack }: EditorProps) {
  const queries = useQueryClient();
  const drafting = useDraft(detail, drafts);
  const [busy, setBusy] = useState(false);
  const { assistant } = detail;
  const { draft, seen, isChanged } = drafting;
  const id = assistant?.id ?? null;
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const saved = await postAsOperator<AssistantSaved>(queries, 'save-assistant', { id, seen, draft });
      if (id === null) drafts.delete('');
      else drafting.stored(draft, saved.updated_at);
      toast.success('The assistant is saved.');
      onSaved(saved);
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  const call = (): Promise<DraftCall> => postAsOperator(queries, 'try-assistant', { id, draft });
  return (
    <>
      <h2>{assistant === null ? 'New assistant' : (assistant.name ?? assistant.id.slice(0, 8))}</h2>
      {assistant !== null && <p className="meta num">{assistant.id}</p>}
      <form
        className="assistant-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void save();
        }}
      >
        <MayWrite call="save-assistant">
          <AssistantFields detail={detail} draft={draft} onWrite={drafting.write} />
        </MayWrite>
        <Warnings warnings={warnings} />
        <May call="save-assistant">
          <div className="console-acts">
            <Button type="submit" look="signal" busy={busy} disabled={!isChanged}>
              Save
            </Button>
            <Button look="quiet" disabled={!isChanged || busy} onClick={drafting.discard}>
              Discard changes
            </Button>
          </div>
        </May>
      </form>
      <May call="try-assistant">
        <section className="assistant-talk" aria-label="Talk to it">
          <p className="meta">
            A real call with what stands above, saved or not. What it books or sends is real.
          </p>
          <TestNow label="Talk to this draft" make={call} />
        </section>
      </May>
      {assistant !== null && <AssistantTests assistantId={assistant.id} draft={isChanged ? draft : null} />}
      {assistant !== null && (
        <AssistantVersions id={assistant.id} versions={detail.versions} isChanged={isChanged} />
      )}
      {assistant !== null && !assistant.is_site && (
        <DeleteButton
          does="delete-assistant"
          id={assistant.id}
          label="Delete assistant"
          done="The assistant is deleted with its versions."
          onDeleted={onBack}
        />
      )}
    </>
  );
}

function Warnings({ warnings }: Pick<PanelProps, 'warnings'>) {
  return (
    <div role="status">
      {warnings.length > 0 && (
        <ul className="assistant-warnings">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
