import type { Attention, Obligation, Report } from './report.contract.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
/** Sentences of the analyser about a day, by their code: before the day, and the words for afterwards. */
const SAID: Readonly<Record<string, readonly [RegExp, string]>> = {
  payment_due: [/ is due on (?=\d{1,2} \w+ \d{4}\.$)/, ' was due on '],
  ends: [/^It ends on (?=\d{1,2} \w+ \d{4}\.$)/, 'It ended on '],
};

/**
 * A report as it reads on a day: sentences about days before it say that the day is past. The stored report keeps the words
 * of the day on which it was made.
 *
 * @param today ISO date
 */
export function readOn(report: Report, today: string): Report {
  const { attention, obligations, parts } = report;
  return {
    ...report,
    attention: attention.map((item) => warningOn(item, today)),
    ...(obligations && { obligations: obligations.map((item) => obligationOn(item, today)) }),
    ...(parts && {
      parts: parts.map((part) => ({
        ...part,
        attention: part.attention.map((item) => warningOn(item, today)),
      })),
    }),
  };
}

function warningOn(item: Attention, today: string): Attention {
  const [words, past] = SAID[item.code] ?? [];
  if (words === undefined || past === undefined || !(dayAtEnd(item.text) < today)) return item;
  return { ...item, text: item.text.replace(words, past) };
}

function obligationOn(item: Obligation, today: string): Obligation {
  if (item.kind !== 'notice_day' || item.deadline === undefined || item.deadline >= today) return item;
  return { ...item, text: item.text.replace(' has to be given by ', ' had to be given by ') };
}

/** The day in the form `2 April 2026` before the full stop, as an ISO date; a day after all others if there is none. */
function dayAtEnd(text: string): string {
  const [, day = '', month = '', year = ''] = /(\d{1,2}) (\w+) (\d{4})\.$/.exec(text) ?? [];
  const number = MONTHS.indexOf(month) + 1;
  return number === 0 ? '9999' : `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
}
