import type { DoorLoad } from './door-list.ts';

/** What the crowd at a door was answered. */
export interface Crowd {
  /** False where so many of its requests were refused that the door was not measured at all. */
  readonly measured: boolean;
  /** For the report: how many requests, or which replies came in place of work. */
  readonly told: string;
}

/** Part of the crowd's replies that say that the work was done; below it the door was not measured. */
const LEAST_DONE = 0.9;

/** What replies by status say of a door: whether its work was done, or refused at the door. */
export function tellCrowd(door: Pick<DoorLoad, 'done'>, statuses: Readonly<Record<string, number>>): Crowd {
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const done = door.done.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
  const measured = all > 0 && done / all >= LEAST_DONE;
  return { measured, told: measured ? `${all} requests` : `not measured: ${JSON.stringify(statuses)}` };
}
