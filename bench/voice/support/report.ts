import os from 'node:os';
import { type Figure, shown } from '../../support/figure.ts';

/** Collects every figure and prints it with the machine's load at that moment. */
export class Report {
  readonly #figures: Figure[] = [];

  show(figure: Figure): void {
    this.#figures.push(figure);
    const against = [
      figure.ratio === undefined ? '' : `ratio ${shown(figure.ratio, '')}`,
      figure.against,
      `load ${loadNow()}`,
    ].filter((part) => part !== '');
    console.log(
      [
        (figure.met ? 'met   ' : 'MISSED').padEnd(7),
        figure.name.padEnd(38),
        figure.measured.padEnd(12),
        figure.aim.padEnd(28),
        against.join('; '),
      ].join(' '),
    );
  }

  /** The last line. */
  sum(): string {
    const missed = this.#figures.filter(({ met }) => !met);
    return missed.length === 0
      ? 'Every aim is met.'
      : `Missed: ${missed.map(({ name }) => name).join(', ')}.`;
  }
}

/** Processes that wanted a core in the last minute. */
export const loadNow = (): string => (os.loadavg()[0] ?? 0).toFixed(2);
