import type { DoorLoad } from './door-list.ts';

/** The replies to the load of a group of routes. */
export interface Crowd {
  /** False when so many requests were refused that the group was not measured. */
  readonly measured: boolean;
  /** For the report: the number of requests, or the replies that refused the work. */
  readonly told: string;
}

/** Smallest share of replies that did the work; below it the group was not measured. */
const LEAST_DONE = 0.9;

/** Judges replies by status: whether the work was done, or the requests were refused. */
export function tellCrowd(door: Pick<DoorLoad, 'done'>, statuses: Readonly<Record<string, number>>): Crowd {
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const done = door.done.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
  const measured = all > 0 && done / all >= LEAST_DONE;
  return { measured, told: measured ? `${all} requests` : `not measured: ${JSON.stringify(statuses)}` };
}
