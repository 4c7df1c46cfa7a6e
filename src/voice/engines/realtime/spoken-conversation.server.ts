import { randomBytes } from 'node:crypto';
import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime';
import type { SpokenTurn } from '../engines.server.ts';
import type { AnswerItem } from './realtime-response.server.ts';

type Role = SpokenTurn['role'];

/** Something said that the provider's conversation holds, and the items that it is there. */
interface Entry {
  readonly role: Role;
  /** As it was understood, or made; of several sentences all. */
  text: string;
  items: readonly AnswerItem[];
}

/** Entries that follow one another and are of one side. */
interface Passage {
  readonly role: Role;
  readonly text: string;
  readonly entries: readonly Entry[];
}

/** Of a conversation that has to be told anew: turns, and letters of each. */
const MOST_TURNS = 60;
const LONGEST_TURN = 4000;

/**
 * What the provider's conversation holds, compared with what was really said: an answer that was cut short, a turn
 * that never got there and what others have said are put right before the next answer.
 */
export class SpokenConversation {
  #entries: Entry[] = [];

  /** The provider has forgotten everything. */
  clear(): void {
    this.#entries = [];
  }

  /** The caller's sound is an item, and this is what was understood of it. */
  addUtterance(item: string, text: string): void {
    this.#entries.push({ role: 'user', text, items: [{ id: item, spoken: true }] });
  }

  /** An answer begins; what it says and puts there is added to it. */
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
   * What the provider has to be told before it answers `turn`; undefined for an answer to nobody. Sound of the turn
   * that it has heard stays; of a turn that it has not heard the words are put in its place.
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
    // What tools were called with, and answered, stays true.
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

/** A new mark for something that is sent to the provider, short enough for an item's. */
export const newMark = (): string => `nl_${randomBytes(10).toString('hex')}`;

type Creation = Extract<RealtimeClientEvent, { type: 'conversation.item.create' }>;

/** Puts a turn there as text; at the end where no place is named. */
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

/** Of one side what follows one another counts as one; an entry without words goes with what is before it. */
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

/** The last sound of the caller whose words together are the turn; empty where the provider has not heard it so. */
function keptSound(rest: readonly Entry[], turn: string): Entry[] {
  const spoken = rest.filter(({ role, items }) => role === 'user' && items.length > 0);
  for (let from = spoken.length - 1; from >= 0; from--) {
    const last = spoken.slice(from);
    if (plain(last.map(({ text }) => text).join(' ')) === plain(turn)) return last;
  }
  return [];
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
