import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { formatTime } from '../../../kernel/contract/dates.ts';
import type { SiteContent } from '../../../kernel/contract/site-content.ts';
import { postContent } from './content-client.web.ts';

/** Milliseconds without a letter after which the draft is sent. */
const PAUSE = 300;

interface Unsent {
  readonly base: number;
  readonly content: SiteContent | null;
}

/** Keeps the draft of the site on the server while it is being written. */
export interface DraftKeeper {
  /** Sends the draft after a short pause, and at once when the page is left. */
  keep(draft: Unsent): void;
  /** Removes the draft from the server. @throws CallRefused */
  discard(): Promise<void>;
  /** Waits until nothing is on its way. */
  settle(): Promise<void>;
  /** Whether the draft is kept, for the person who writes it. */
  readonly words: string;
}

/** @param since when the draft was kept that the page begins with, ISO 8601 */
export function useDraftKeeper(since: string | undefined): DraftKeeper {
  const queries = useQueryClient();
  const [words, setWords] = useState(since === undefined ? '' : keptAt(since));
  const sender = useMemo(
    () =>
      new DraftSender((outcome) => {
        setWords(outcome);
        void queries.invalidateQueries({ queryKey: ['operator', 'overview'] });
      }),
    [queries],
  );
  useEffect(() => {
    const leave = (): void => void sender.flush();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [sender]);
  return {
    words,
    keep: (draft) => sender.keep(draft),
    discard: () => sender.discard(),
    settle: () => sender.flush(),
  };
}

/** Sends the newest draft, one request after another. */
class DraftSender {
  #unsent: Unsent | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> = Promise.resolve();
  readonly #onSent: (words: string) => void;

  constructor(onSent: (words: string) => void) {
    this.#onSent = onSent;
  }

  keep(draft: Unsent): void {
    this.#unsent = draft;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), PAUSE);
  }

  async discard(): Promise<void> {
    clearTimeout(this.#timer);
    this.#unsent = undefined;
    await this.#sending;
    await postContent('keep-draft', { base: 0, content: null });
    this.#onSent('');
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    const draft = this.#unsent;
    if (draft === undefined) return this.#sending;
    this.#unsent = undefined;
    this.#sending = this.#sending.then(async () => {
      try {
        const { kept_at: at } = await postContent<{ kept_at: string | null }>('keep-draft', draft);
        this.#onSent(at === null ? '' : keptAt(at));
      } catch {
        // The next letter, or leaving the page, sends it again.
        this.#unsent ??= draft;
        this.#onSent('Your draft is not kept yet: the server could not be reached.');
      }
    });
    return this.#sending;
  }
}

const keptAt = (at: string): string => `Your draft is kept since ${formatTime(new Date(at))}.`;
