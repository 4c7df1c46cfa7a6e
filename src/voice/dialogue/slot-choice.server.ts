import {
  addDays,
  momentOf,
  sayTime,
  type WallTime,
  wallTimeOf,
} from '../../business/bookings/zoned-time.server.ts';
import type { DialogueTools } from './dialogue-tools.server.ts';
import { readSpokenNumber } from './spoken/spoken-digits.server.ts';
import { readSpokenTime, type SpokenTime } from './spoken/spoken-time.server.ts';
import { readConsent } from './spoken-form.server.ts';

const HORIZON_DAYS = 30;
const OFFERED = 3;
const LOOKED_AT = 400;
const DAY_MINUTES = 1440;
const PARTS = { morning: [0, 12], afternoon: [12, 18], evening: [18, 24] } as const;

/** The result of what a caller said about the time. */
export type SlotStep =
  | { readonly is: 'asking'; readonly sentence: string }
  | { readonly is: 'chosen'; readonly start: Date }
  | { readonly is: 'none' }
  | { readonly is: 'not-understood' };

/**
 * Finds a free time with the caller: takes a wish, offers the nearest times, takes the choice. Offered times
 * are held, so that nobody else is offered or takes them while the caller thinks.
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
  async question(): Promise<SlotStep> {
    if (this.#offered.length > 0) return this.#offer();
    return { is: 'asking', sentence: 'Which day and time would suit you?' };
  }

  /** Takes what was said; words without a time change nothing. */
  async answer(words: string): Promise<SlotStep> {
    const chosen = this.#choiceAmongOffered(words);
    if (chosen) return this.#take(chosen);
    const said = this.#shifted(words) ?? readSpokenTime(words, wallTimeOf(this.#now(), this.#zone));
    const other =
      /\b(earlier|later|else|another|other|different)\b/.test(words) || readConsent(words) === false;
    if (!said && !other) return { is: 'not-understood' };
    if (said) this.#wish = this.#wishWith(said);
    return this.#search(words, said !== null);
  }

  /** `The day after` and `half an hour later` are relative to the day and hour wished for so far. */
  #shifted(words: string): SpokenTime | null {
    const { day, hour, minute = 0 } = this.#wish;
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

  /** A new day keeps the hour that was wished for, unless another one was said with it. */
  #wishWith(said: SpokenTime): SpokenTime {
    const { hour, minute, part } = this.#wish;
    if (!(said.day || said.from)) return { ...this.#wish, ...said };
    if (said.hour !== undefined || said.part !== undefined) return said;
    return {
      ...(hour === undefined ? {} : { hour, minute: minute ?? 0 }),
      ...(part ? { part } : {}),
      ...said,
    };
  }

  async #search(words: string, wished: boolean): Promise<SlotStep> {
    const now = this.#now();
    const first = this.#wish.day ?? this.#wish.from ?? wallTimeOf(now, this.#zone);
    const from = momentOf(midnight(first), this.#zone);
    const until = momentOf(addDays(wallTimeOf(now, this.#zone), HORIZON_DAYS), this.#zone);
    const free = await this.#tools.freeSlots(from, until, LOOKED_AT);
    const later = !wished && !/\bearlier\b/.test(words) ? this.#offered.at(-1) : undefined;
    const open = later ? free.filter((slot) => slot > later) : free;
    if (open.length === 0) return { is: 'none' };
    const exact = this.#exact(open);
    if (exact && (await this.#hold([exact])).length > 0) return this.#offer();
    const rest = exact ? open.filter((slot) => slot !== exact) : open;
    const fitting = rest.filter((slot) => this.#fits(slot));
    await this.#hold(fitting.length > 0 ? fitting : this.#nearest(rest));
    if (this.#offered.length === 0) return { is: 'none' };
    return this.#offer(fitting.length === 0 && wished ? 'That time is not free. ' : '');
  }

  /** Holds the first times that are still free; a time that somebody else took meanwhile is skipped. */
  async #hold(slots: readonly Date[]): Promise<readonly Date[]> {
    let open = [...slots];
    this.#offered = [];
    while (open.length > 0) {
      const wanted = open.slice(0, OFFERED);
      const got = new Set((await this.#tools.holdSlots(wanted)).map((slot) => slot.getTime()));
      this.#offered = wanted
        .filter((slot) => got.has(slot.getTime()))
        .sort((one, other) => one.getTime() - other.getTime());
      if (this.#offered.length === wanted.length) break;
      open = open.filter((slot) => !wanted.includes(slot) || got.has(slot.getTime()));
    }
    return this.#offered;
  }

  /** Holds only the chosen time; an offer that was not answered for minutes may have lapsed. */
  async #take(chosen: Date): Promise<SlotStep> {
    if ((await this.#tools.holdSlots([chosen])).length > 0) return { is: 'chosen', start: chosen };
    this.#offered = [];
    const step = await this.#search('', false);
    return step.is === 'asking'
      ? { is: 'asking', sentence: `I am sorry, somebody has just taken that time. ${step.sentence}` }
      : step;
  }

  #offer(before = ''): SlotStep {
    const said = this.#offered.map((slot) => sayTime(slot, this.#zone));
    if (said.length === 1)
      return { is: 'asking', sentence: `${before}I can offer ${said[0]}. Is that all right?` };
    return {
      is: 'asking',
      sentence: `${before}I can offer ${said.slice(0, -1).join(', or ')}, or ${said.at(-1)}. Which one do you take?`,
    };
  }

  #choiceAmongOffered(words: string): Date | undefined {
    if (this.#offered.length === 0) return undefined;
    const place = /\b(first|second|third|last|middle|earliest|latest)\b/.exec(words)?.[1];
    if (place === 'last' || place === 'latest') return this.#offered.at(-1);
    if (place === 'middle') return this.#offered.length === OFFERED ? this.#offered[1] : undefined;
    if (place) return this.#offered[Math.max(0, ['first', 'second', 'third'].indexOf(place))];
    const said = readSpokenTime(words, wallTimeOf(this.#now(), this.#zone));
    if (said?.hour !== undefined && !said.day) {
      const same = this.#offered.filter((slot) => this.#atTime(slot, said));
      if (same.length === 1) return same[0];
    }
    return this.#offered.length === 1 && readConsent(words) === true && !said ? this.#offered[0] : undefined;
  }

  /** The slot at exactly the wished day and time. */
  #exact(free: readonly Date[]): Date | undefined {
    const { day, hour } = this.#wish;
    if (!day || hour === undefined) return undefined;
    return free.find((slot) => sameDay(wallTimeOf(slot, this.#zone), day) && this.#atTime(slot, this.#wish));
  }

  #fits(slot: Date): boolean {
    const wall = wallTimeOf(slot, this.#zone);
    const { day, part, hour } = this.#wish;
    if (day && !sameDay(wall, day)) return false;
    if (hour !== undefined) return this.#atTime(slot, this.#wish);
    return !part || (wall.hour >= PARTS[part][0] && wall.hour < PARTS[part][1]);
  }

  #atTime(slot: Date, wish: SpokenTime): boolean {
    const wall = wallTimeOf(slot, this.#zone);
    return wall.hour === wish.hour && wall.minute === (wish.minute ?? 0);
  }

  /** The free times around the wished hour of the wished day, where there are any; otherwise the soonest. */
  #nearest(free: readonly Date[]): readonly Date[] {
    const { day, hour = 12 } = this.#wish;
    const ofDay = day ? free.filter((slot) => sameDay(wallTimeOf(slot, this.#zone), day)) : [];
    const distance = (slot: Date) => Math.abs(wallTimeOf(slot, this.#zone).hour - hour);
    return ofDay.length > 0 ? [...ofDay].sort((one, other) => distance(one) - distance(other)) : free;
  }
}

function midnight(wall: WallTime): WallTime {
  return { ...wall, hour: 0, minute: 0 };
}

function sameDay(one: WallTime, other: WallTime): boolean {
  return one.year === other.year && one.month === other.month && one.day === other.day;
}
