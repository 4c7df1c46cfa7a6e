import { useEffect, useState } from 'react';
import type { AssistantDetail, AssistantDraft } from './assistant-editor.contract.ts';

/** A draft that is not saved: what it began as, what it is now, and when that beginning was stored. */
interface KeptDraft {
  readonly base: AssistantDraft;
  readonly draft: AssistantDraft;
  /** ISO 8601; null for a new assistant. */
  readonly seen: string | null;
}

/** Drafts by their assistant's id (empty for a new one), so that looking at another one loses nothing. */
export type KeptDrafts = Map<string, KeptDraft>;

/** What is being written about one assistant. */
export interface Drafting extends KeptDraft {
  readonly isChanged: boolean;
  readonly write: WriteDraft;
  /** Back to what is stored. */
  discard(): void;
  /** `draft` was stored; `at` is when, ISO 8601. What was written since stays. */
  stored(draft: AssistantDraft, at: string): void;
}

/** Changes fields of a draft; a function is given the draft as it is by then. */
export type WriteDraft = (
  changes: Partial<AssistantDraft> | ((draft: AssistantDraft) => Partial<AssistantDraft>),
) => void;

const beginning = ({ draft, assistant }: AssistantDetail): KeptDraft => ({
  base: draft,
  draft,
  seen: assistant?.updated_at ?? null,
});
const isChanged = ({ base, draft }: KeptDraft): boolean => JSON.stringify(base) !== JSON.stringify(draft);

/** Keeps the draft of an assistant. What somebody else stores meanwhile is taken over as long as nothing is written here. */
export function useDraft(detail: AssistantDetail, drafts: KeptDrafts): Drafting {
  const key = detail.assistant?.id ?? '';
  const [kept, setKept] = useState(() => drafts.get(key) ?? beginning(detail));
  const changed = isChanged(kept);
  useEffect(() => {
    if (isChanged(kept)) drafts.set(key, kept);
    else drafts.delete(key);
  }, [drafts, key, kept]);
  if (!changed && kept.seen !== (detail.assistant?.updated_at ?? null)) setKept(beginning(detail));
  return {
    ...kept,
    isChanged: changed,
    write: (changes) =>
      setKept((now) => {
        const next = typeof changes === 'function' ? changes(now.draft) : changes;
        return { ...now, draft: { ...now.draft, ...next } };
      }),
    discard: () => setKept(beginning(detail)),
    stored: (base, seen) => setKept(({ draft }) => ({ base, draft, seen })),
  };
}
