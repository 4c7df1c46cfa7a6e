import type { Resources } from '../../../kernel/resources/resources.ts';

const LONGEST_LINE = 4000;

type Side = 'user' | 'assistant' | 'colleague';

interface Line {
  readonly role: Side;
  readonly text: string;
  readonly final: boolean;
}

/**
 * The words of one call, line by line, for operators who read along (`northline_app.live_call_words`, sent over
 * realtime). The conversation does not wait for the database; where a line changes faster than it is written,
 * its newest text is written.
 * @trigger northline_app.live_call_words realtime_publish
 */
export class LiveWords {
  readonly #resources: Pick<Resources, 'database' | 'log'>;
  readonly #callId: string;
  /** The lines that are not final yet, by speaker. */
  readonly #open = new Map<Side, number>();
  readonly #waiting = new Map<number, Line>();
  #last = 0;
  #writing: Promise<void> | undefined;
  #taking: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(resources: Pick<Resources, 'database' | 'log'>, callId: string) {
    this.#resources = resources;
    this.#callId = callId;
  }

  /** Adds a line, or changes the speaker's line that is not final yet; an empty final text removes it. */
  say(role: Side, text: string, final: boolean): void {
    const open = this.#open.get(role);
    if (this.#stopped || (text.trim() === '' && open === undefined)) return;
    const position = open ?? ++this.#last;
    if (final) this.#open.delete(role);
    else this.#open.set(role, position);
    this.#waiting.set(position, { role, text: text.trim().slice(0, LONGEST_LINE), final });
    this.#writing ??= this.#write();
  }

  /** Accepts no more lines; resolves when no write is in progress. */
  async close(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    await Promise.all([this.#writing, this.#taking]);
  }

  /**
   * Stores who speaks in the assistant's place, undefined for the assistant; also where no words are kept.
   */
  taken(name: string | undefined): void {
    this.#taking = this.#taking.then(() =>
      this.#resources.database
        .run('update northline_app.live_calls set taken_by = $2 where call_id = $1', [
          this.#callId,
          name ?? null,
        ])
        .catch((error: unknown) => this.#lost(error)),
    );
  }

  /** The caller does not want the words kept: they are deleted, and no more are stored. */
  async forget(): Promise<void> {
    await this.close();
    await this.#resources.database
      .run('delete from northline_app.live_call_words where call_id = $1', [this.#callId])
      .catch((error: unknown) => this.#lost(error));
  }

  async #write(): Promise<void> {
    // Waits until the caller of `say` has finished, so that lines added together are written together.
    await Promise.resolve();
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const [position, { role, text, final }] = next;
      this.#waiting.delete(position);
      await this.#resources.database
        .run(
          `insert into northline_app.live_call_words (call_id, position, role, text, final)
           select l.call_id, $2, $3, $4, $5 from northline_app.live_calls l where l.call_id = $1 and l.status <> 'ended'
           on conflict (call_id, position) do update set text = excluded.text, final = excluded.final`,
          [this.#callId, position, role, text, final],
        )
        .catch((error: unknown) => this.#lost(error));
    }
    this.#writing = undefined;
  }

  #lost(error: unknown): void {
    this.#resources.log.warn({ err: error }, 'a line of a live transcript was lost');
  }
}
