import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DoorInput } from './door-input.ts';

/** The longest work at a stretch that may keep other requests waiting, milliseconds of processor time. */
const LONGEST_PAUSE_MS = 250;
const TICK_MS = 10;
const PROBE_EVERY_MS = 40;

/**
 * What is wrong with an answer over HTTP: a 5xx that names no code of ours, or `unexpected_failure`; undefined for all
 * else.
 */
export function faultOfAnswer(answer: string): string | undefined {
  const status = /^HTTP\/1\.1 (5\d\d)/.exec(answer)?.[1];
  if (status === undefined || status === '501' || status === '505') return undefined;
  const code = /"(?:code|error_code|errorCode)":"?([\w-]+)/.exec(answer)?.[1];
  if (code !== undefined && code !== 'unexpected_failure' && code !== '500') return undefined;
  return `${status} ${answer.split('\r\n\r\n')[1]?.slice(0, 200) ?? ''}`;
}

/**
 * Watches the main thread of a process by probes of `/livez`: a probe that waits while that thread works for more than
 * 250 ms of processor time at a stretch has found a pause. Time that other programs take is not counted.
 */
export async function watchPauses(
  url: string,
  pid: number,
  isOver: () => boolean,
  found: (ms: number) => void,
): Promise<void> {
  while (!isOver()) {
    const before = workedMs(pid);
    const begun = performance.now();
    await fetch(`${url}/livez`).then(
      (reply) => reply.text(),
      () => '',
    );
    const worked = workedMs(pid) - before;
    // Both: a probe that waited long, and a thread that worked all of that time.
    const waited = performance.now() - begun;
    if (worked > LONGEST_PAUSE_MS && waited > LONGEST_PAUSE_MS) found(worked);
    await sleep(PROBE_EVERY_MS);
  }
}

/** Processor time of the main thread, milliseconds (proc(5): fields 14 and 15 of stat). */
function workedMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}

/** The last inputs, for a fault that no answer names: the newest last. */
export function rememberInputs(most: number) {
  const last: DoorInput[] = [];
  return {
    add(input: DoorInput): void {
      last.push(input);
      if (last.length > most) last.shift();
    },
    all: (): readonly DoorInput[] => [...last],
  };
}
