import { randomBytes } from 'node:crypto';
import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime';
import type { SpokenTurn } from '../engines.server.ts';
import type { AnswerItem } from './realtime-response.server.ts';

type Role = SpokenTurn['role'];

/** Something said that the provider's conversation holds, with its items there. */
interface Entry {
  readonly role: Role;
  /** The text as it was understood or written; for an answer of several sentences all of them. */
  text: string;
  items: readonly AnswerItem[];
}

/** Entries in a row that are of the same role. */
interface Passage {
  readonly role: Role;
  readonly text: string;
  readonly entries: readonly Entry[];
}

/** Most turns, and most characters of each, when the provider is sent a conversation anew. */
const MOST_TURNS = 60;
const LONGEST_TURN = 4000;

/**
 * Compares what the provider's conversation holds with what was really said. Answers that were cut short,
 * turns that never arrived and words of others are corrected before the next answer.
 */
export class SpokenConversation {
  #entries: Entry[] = [];

  /** The provider has forgotten everything. */
  clear(): void {
    this.#entries = [];
  }

  /** Records that the caller's sound is an item, and what was understood of it. */
  addUtterance(item: string, text: string): void {
    this.#entries.push({ role: 'user', text, items: [{ id: item, spoken: true }] });
  }

  /** Begins an answer; its words and items are added as they come. */
  beginAnswer(): OpenAnswer {
    const entry: Entry = { role: 'assistant', text: '', items: [] };
    this.#entries.push(entry);
    return {
      say(sentence) {
        entry.text = `${entry.text} ${sentence}`.trim();
      },
      add(items) {
        entry.items = [...entry.items, ...items];
      },
    };
  }

  /**
   * The events that the provider needs before it answers `turn` (undefined where no turn of the caller is
   * answered). Sound of the turn that the provider has heard stays; otherwise the turn's words are added as
   * text.
   */
  reconcile(history: readonly SpokenTurn[], turn: string | undefined): RealtimeClientEvent[] {
    const held = passagesOf(this.#entries);
    const said = passagesOf(history.map(({ role, text }) => ({ role, text, items: [] })));
    let same = 0;
    while (isSame(held[same], said[same])) same++;
    const before = held.slice(0, same).flatMap(({ entries }) => entries);
    const rest = held.slice(same).flatMap(({ entries }) => entries);
    const kept = turn === undefined ? [] : keptSound(rest, turn);
    const wrong = rest.filter((entry) => !kept.includes(entry));
    const missing = said.slice(same).map(({ role, text }): Entry => ({ role, text, items: [] }));

    const events: RealtimeClientEvent[] = [];
    for (const { id, spoken } of wrong.flatMap(({ items }) => items))
      if (spoken) events.push({ type: 'conversation.item.delete', item_id: id, event_id: `drop-${id}` });
    // Tool calls and their results stay: they remain true.
    const called = wrong.flatMap(({ items }) => items.filter(({ spoken }) => !spoken));
    let place = [...before.flatMap(({ items }) => items), ...called].at(-1)?.id ?? 'root';
    for (const entry of missing.slice(-MOST_TURNS)) {
      const event = written(entry, place);
      events.push(event);
      place = event.item.id ?? place;
    }
    if (called.length > 0) before.push({ role: 'assistant', text: '', items: called });
    this.#entries = [...before, ...missing, ...kept];
    if (turn === undefined || turn === '' || kept.length > 0) return events;
    const asked: Entry = { role: 'user', text: turn, items: [] };
    this.#entries.push(asked);
    return [...events, written(asked)];
  }
}

/** An answer that is being made. */
export interface OpenAnswer {
  say(sentence: string): void;
  add(items: readonly AnswerItem[]): void;
}

/** A new id for something that is sent to the provider, short enough for an item's id. */
export const newMark = (): string => `nl_${randomBytes(10).toString('hex')}`;

type Creation = Extract<RealtimeClientEvent, { type: 'conversation.item.create' }>;

/** Adds a turn as a text item; at the end where no place is named. */
function written(entry: Entry, place?: string): Creation {
  const id = newMark();
  entry.items = [{ id, spoken: true }];
  const { role } = entry;
  const text = entry.text.slice(0, LONGEST_TURN);
  const event = {
    type: 'conversation.item.create' as const,
    event_id: `put-${id}`,
    ...(place === undefined ? {} : { previous_item_id: place }),
  };
  if (role === 'assistant')
    return { ...event, item: { id, type: 'message', role, content: [{ type: 'output_text', text }] } };
  if (role === 'system')
    return { ...event, item: { id, type: 'message', role, content: [{ type: 'input_text', text }] } };
  return { ...event, item: { id, type: 'message', role, content: [{ type: 'input_text', text }] } };
}

/** Joins entries in a row that are of one role; an entry without words joins the passage before it. */
function passagesOf(entries: readonly Entry[]): Passage[] {
  const passages: Passage[] = [];
  for (const entry of entries) {
    const last = passages.at(-1);
    if (last === undefined || (entry.text.trim() !== '' && last.role !== entry.role))
      passages.push({ role: entry.role, text: plain(entry.text), entries: [entry] });
    else
      passages[passages.length - 1] = {
        role: last.role,
        text: plain(`${last.text} ${entry.text}`),
        entries: [...last.entries, entry],
      };
  }
  return passages;
}

const isSame = (one: Passage | undefined, other: Passage | undefined): boolean =>
  one !== undefined && other !== undefined && one.role === other.role && one.text === other.text;

/**
 * The caller's last sound items whose words together make up the turn; empty where the provider did not hear
 * it so.
 */
function keptSound(rest: readonly Entry[], turn: string): Entry[] {
  const spoken = rest.filter(({ role, items }) => role === 'user' && items.length > 0);
  for (let from = spoken.length - 1; from >= 0; from--) {
    const last = spoken.slice(from);
    if (plain(last.map(({ text }) => text).join(' ')) === plain(turn)) return last;
  }
  return [];
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
