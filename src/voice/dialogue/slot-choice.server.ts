import {
  addDays,
  momentOf,
  sayClock,
  sayDay,
  sayTime,
  type WallTime,
  wallTimeOf,
} from '../../business/bookings/zoned-time.server.ts';
import type { DialogueTools } from './dialogue-tools.server.ts';
import { readConsent, saysYes } from './spoken/caller-consent.server.ts';
import { readSpokenNumber } from './spoken/spoken-digits.server.ts';
import { mondayOf, readSpokenTime, type SpokenTime } from './spoken/spoken-time.server.ts';

const HORIZON_DAYS = 30;
const OFFERED = 3;
const LOOKED_AT = 400;
const DAY_MINUTES = 1440;
const WEEK = 7;
const WEEK_AFTER = /\bthe week after\b(?! next)|\ba week later\b/;
/** What comes before the time that a caller chooses. */
const LEADS_IN =
  /^(?:(?:yes|okay|well|no|then|alright|please|actually|let us|i|we|will|would|can|could|do|take|have|like|prefer|say|make it|how about|what about|rather|the) )+(?=\S)/;
const PARTS = { morning: [0, 12], afternoon: [12, 18], evening: [18, 24] } as const;

/** A choice by its place is the whole turn: `first tell me the price` chooses nothing. */
const PLACE =
  /^(?:(?:yes|okay|well|alright|no|please|maybe|perhaps|rather|let us|let me|i|we|will|would|take|have|go|for|with|like|prefer|say|do|book|then|make it|think) )*(?:the )?(?:very )?(first|second|third|last|middle|earliest|latest)(?: (?:one|slot|time|of (?:them|those|these)|is|works|would be|sounds))*(?: (?:please|thanks|thank you|then|fine|good|great|best|perfect|for me|possible|available))*$/;
const BOOKS = /\b(please )?(book|take|reserve|move) (it|that)( one)?( then)?\b/;

/** The result of what a caller said about the time. */
export type SlotStep =
  | { readonly is: 'asking'; readonly sentence: string }
  | { readonly is: 'chosen'; readonly start: Date }
  | { readonly is: 'none' }
  | { readonly is: 'not-understood' };

/**
 * Finds a free time with the caller: takes a wish, offers the nearest times, takes the choice. Only the chosen
 * time is held, so that callers who only ask leave every time free for others.
 */
export class SlotChoice {
  readonly #tools: Pick<DialogueTools, 'freeSlots' | 'holdSlots'>;
  readonly #zone: string;
  readonly #now: () => Date;
  #offered: readonly Date[] = [];
  #wish: SpokenTime = {};

  constructor(tools: Pick<DialogueTools, 'freeSlots' | 'holdSlots'>, zone: string, now: () => Date) {
    this.#tools = tools;
    this.#zone = zone;
    this.#now = now;
  }

  /** The first question, or its repetition. */
  question(): SlotStep {
    if (this.#offered.length > 0) return this.#offer();
    return { is: 'asking', sentence: 'Which day and time would suit you?' };
  }

  /** Takes what was said; words without a time change nothing. */
  async answer(words: string): Promise<SlotStep> {
    const chosen = this.#choiceAmongOffered(words);
    if (chosen) return this.#take(chosen);
    if (this.#offered.length > 1 && saysYes(words, BOOKS))
      return { is: 'asking', sentence: `Which one shall I book: ${listOr(this.#timesOffered())}?` };
    const said = this.#shifted(words) ?? this.#read(words);
    const other =
      /\b(earlier|later|else|another|other|different)\b/.test(words) || readConsent(words) === false;
    if (!said && !other) return { is: 'not-understood' };
    if (said) this.#wish = this.#wishWith(said);
    return this.#search(words, said !== null);
  }

  #read(words: string): SpokenTime | null {
    return readSpokenTime(words.replace(LEADS_IN, ''), wallTimeOf(this.#now(), this.#zone));
  }

  /** `The day after` and `half an hour later` are relative to the day and hour wished for so far. */
  #shifted(words: string): SpokenTime | null {
    const { day, hour, minute = 0 } = this.#wish;
    if (WEEK_AFTER.test(words)) return this.#weekAfter(words);
    const [, nearby] = /\bthe (?:day |next day )(after|before)\b(?! tomorrow)/.exec(words) ?? [];
    if (nearby !== undefined && day !== undefined)
      return { ...this.#wish, day: addDays(day, nearby === 'after' ? 1 : -1) };
    const [, amount, unit, way] =
      /\b(half an|an|one|two|\d+) (hour|minute)s? (later|earlier)\b/.exec(words) ?? [];
    if (amount === undefined || hour === undefined) return null;
    const count = amount === 'half an' ? 0.5 : (readSpokenNumber(amount) ?? 1);
    const at = hour * 60 + minute + (way === 'later' ? 1 : -1) * count * (unit === 'hour' ? 60 : 1);
    return at < 0 || at >= DAY_MINUTES ? null : { hour: Math.floor(at / 60), minute: at % 60 };
  }

  #weekAfter(words: string): SpokenTime {
    const { day, from } = this.#wish;
    const week = addDays(mondayOf(day ?? from ?? wallTimeOf(this.#now(), this.#zone)), WEEK);
    const said = readSpokenTime(words, addDays(week, -1));
    const { day: _, ...wish } = this.#wish;
    return { ...wish, ...said, from: week };
  }

  /** A new day keeps the hour that was wished for, unless another one was said with it. */
  #wishWith(said: SpokenTime): SpokenTime {
    const { day, from, ...time } = this.#wish;
    const saysTime = [said.hour, said.part, said.after, said.before].some((one) => one !== undefined);
    const kept = saysTime ? {} : time;
    if (said.day || said.from) return { ...kept, ...said };
    return { ...(day ? { day } : {}), ...(from ? { from } : {}), ...kept, ...said };
  }

  async #search(words: string, wished: boolean): Promise<SlotStep> {
    const now = this.#now();
    const first = this.#wish.day ?? this.#wish.from ?? wallTimeOf(now, this.#zone);
    const from = momentOf(midnight(first), this.#zone);
    const until = momentOf(addDays(wallTimeOf(now, this.#zone), HORIZON_DAYS), this.#zone);
    const free = await this.#tools.freeSlots(from, until, LOOKED_AT);
    const open = wished ? free : this.#others(free, words);
    if (open.length === 0) return { is: 'none' };
    const exact = this.#exact(open);
    const fitting = open.filter((slot) => this.#fits(slot));
    if (exact) this.#offered = [exact];
    else this.#offered = inOrder((fitting.length > 0 ? fitting : this.#nearest(open)).slice(0, OFFERED));
    return this.#offer(fitting.length === 0 && wished ? 'That time is not free. ' : '');
  }

  /** Free times before or after those that were offered. */
  #others(free: readonly Date[], words: string): readonly Date[] {
    const [first, last] = [this.#offered[0], this.#offered.at(-1)];
    if (first === undefined || last === undefined) return free;
    if (!/\bearlier\b/.test(words)) return free.filter((slot) => slot > last);
    return free.filter((slot) => slot < first).slice(-OFFERED);
  }

  /** Holds the chosen time; somebody else may have taken it meanwhile. */
  async #take(chosen: Date): Promise<SlotStep> {
    if ((await this.#tools.holdSlots([chosen])).length > 0) return { is: 'chosen', start: chosen };
    this.#offered = [];
    const step = await this.#search('', false);
    return step.is === 'asking'
      ? { is: 'asking', sentence: `I am sorry, somebody has just taken that time. ${step.sentence}` }
      : step;
  }

  #offer(before = ''): SlotStep {
    const [only] = this.#offered;
    if (this.#offered.length === 1 && only)
      return {
        is: 'asking',
        sentence: `${before}I can offer ${sayTime(only, this.#zone)}. Shall I book it?`,
      };
    return {
      is: 'asking',
      sentence: `${before}I can offer ${listOr(this.#timesOffered())}. Which one shall I book?`,
    };
  }

  /** The offered times, with each day said once: `Monday the 30th: nine`, `half past nine`, `ten`. */
  #timesOffered(): string[] {
    let before = '';
    return this.#offered.map((slot) => {
      const day = sayDay(slot, this.#zone);
      const said = day === before ? sayClock(slot, this.#zone) : `${day}: ${sayClock(slot, this.#zone)}`;
      before = day;
      return said;
    });
  }

  #choiceAmongOffered(words: string): Date | undefined {
    if (this.#offered.length === 0) return undefined;
    const place = PLACE.exec(words)?.[1];
    if (place === 'last' || place === 'latest') return this.#offered.at(-1);
    if (place === 'middle') return this.#offered.length === OFFERED ? this.#offered[1] : undefined;
    if (place) return this.#offered[Math.max(0, ['first', 'second', 'third'].indexOf(place))];
    const said = this.#read(words);
    if (said?.hour !== undefined || (said?.day && !said.part && said.after === undefined)) {
      const same = this.#offered.filter(
        (slot) =>
          (said.hour === undefined || this.#atTime(slot, said)) &&
          (!said.day || sameDay(wallTimeOf(slot, this.#zone), said.day)),
      );
      if (same.length === 1) return same[0];
    }
    return this.#offered.length === 1 && saysYes(words, BOOKS) && !said ? this.#offered[0] : undefined;
  }

  /** The slot at exactly the wished day and time. */
  #exact(free: readonly Date[]): Date | undefined {
    const { day, hour } = this.#wish;
    if (!day || hour === undefined) return undefined;
    return free.find((slot) => sameDay(wallTimeOf(slot, this.#zone), day) && this.#atTime(slot, this.#wish));
  }

  #fits(slot: Date): boolean {
    const wall = wallTimeOf(slot, this.#zone);
    const { day, part, hour, after = 0, before = DAY_MINUTES } = this.#wish;
    if (day && !sameDay(wall, day)) return false;
    if (hour !== undefined) return this.#atTime(slot, this.#wish);
    const minute = wall.hour * 60 + wall.minute;
    if (minute < after || minute >= before) return false;
    return !part || (wall.hour >= PARTS[part][0] && wall.hour < PARTS[part][1]);
  }

  #atTime(slot: Date, wish: SpokenTime): boolean {
    const wall = wallTimeOf(slot, this.#zone);
    return wall.hour === wish.hour && wall.minute === (wish.minute ?? 0);
  }

  /** The free times around the wished hour of the wished day, where there are any; otherwise the soonest. */
  #nearest(free: readonly Date[]): readonly Date[] {
    const { day, after, before, hour = (after ?? before ?? 12 * 60) / 60 } = this.#wish;
    const ofDay = day ? free.filter((slot) => sameDay(wallTimeOf(slot, this.#zone), day)) : [];
    const distance = (slot: Date) => Math.abs(wallTimeOf(slot, this.#zone).hour - hour);
    return ofDay.length > 0 ? [...ofDay].sort((one, other) => distance(one) - distance(other)) : free;
  }
}

const inOrder = (slots: readonly Date[]): readonly Date[] =>
  [...slots].sort((one, other) => one.getTime() - other.getTime());

const listOr = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;

function midnight(wall: WallTime): WallTime {
  return { ...wall, hour: 0, minute: 0 };
}

function sameDay(one: WallTime, other: WallTime): boolean {
  return one.year === other.year && one.month === other.month && one.day === other.day;
}
