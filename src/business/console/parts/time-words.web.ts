import { useEffect, useState } from 'react';
import { formatOf } from '../../../kernel/contract/dates.ts';

const MINUTE = 60_000;
const TICK_MS = 15_000;
const HOUR_TONE_MS = 4 * 60 * MINUTE;

const SHORT = formatOf({
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** `5 Jan, 10:00`, in the reader's own time. */
export const shortTime = (iso: string): string => SHORT.format(new Date(iso));

/** `2026-11-22T09:30` in the reader's own time zone, the form that a field of a date needs. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The present, again every few seconds. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** `3 d 4 h`, `4 h 12 min`, `12 min`. */
export function duration(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / MINUTE));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${hours} h`;
  return hours === 0 ? `${minutes} min` : `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** What the clock of an enquiry says. */
export interface ClockFace {
  readonly tone: 'ok' | 'warn' | 'bad' | 'done';
  /** The figure and its unit. */
  readonly figure: string;
  readonly word: string;
  /** 0 when it came, 1 when the promise is over. */
  readonly share: number;
}

/** Reads the clock at `now`. */
export function clockOf(
  enquiry: { created_at: string; due_at: string; replied_at: string | null },
  now: number,
): ClockFace {
  const [came, due] = [Date.parse(enquiry.created_at), Date.parse(enquiry.due_at)];
  const until = enquiry.replied_at === null ? now : Date.parse(enquiry.replied_at);
  const share = Math.min(1, Math.max(0, (until - came) / Math.max(1, due - came)));
  if (enquiry.replied_at !== null) {
    return { tone: 'done', figure: duration(until - came), word: 'to the answer', share };
  }
  const left = due - now;
  if (left < 0) return { tone: 'bad', figure: duration(-left), word: 'late', share: 1 };
  return { tone: left < HOUR_TONE_MS ? 'warn' : 'ok', figure: duration(left), word: 'left', share };
}
