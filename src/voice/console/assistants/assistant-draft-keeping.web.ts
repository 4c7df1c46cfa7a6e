import { useEffect, useState } from 'react';
import type { AssistantDetail, AssistantDraft } from './assistant-editor.contract.ts';

/** An unsaved draft: what it began as, what it is now, and when the beginning was stored. */
interface KeptDraft {
  readonly base: AssistantDraft;
  readonly draft: AssistantDraft;
  /** ISO 8601; null for a new assistant. */
  readonly seen: string | null;
}

/** Drafts by their assistant's id (empty for a new one), so that opening another assistant loses nothing. */
export type KeptDrafts = Map<string, KeptDraft>;

/** The draft of one assistant. */
export interface Drafting extends KeptDraft {
  readonly isChanged: boolean;
  readonly write: WriteDraft;
  /** Goes back to what is stored. */
  discard(): void;
  /** `draft` was stored at `at` (ISO 8601). Changes since then stay. */
  stored(draft: AssistantDraft, at: string): void;
}

/** Changes fields of a draft; a function gets the present draft. */
export type WriteDraft = (
  changes: Partial<AssistantDraft> | ((draft: AssistantDraft) => Partial<AssistantDraft>),
) => void;

const beginning = ({ draft, assistant }: AssistantDetail): KeptDraft => ({
  base: draft,
  draft,
  seen: assistant?.updated_at ?? null,
});
const isChanged = ({ base, draft }: KeptDraft): boolean => JSON.stringify(base) !== JSON.stringify(draft);

/**
 * Keeps the draft of an assistant. If somebody else stores a version, the draft takes it over as long as it
 * has no changes.
 */
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
