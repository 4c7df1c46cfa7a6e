import type { Citer } from '../contract/quote-finding.ts';
import type { Block, DocumentKind, Field, Obligation } from '../contract/report.contract.ts';
import { findDate, readableDay } from '../values/dates.ts';
import { noticeDay } from './notice-day.ts';

/** Kinds of documents that set duties. */
const BINDING: ReadonlySet<DocumentKind> = new Set(['lease', 'contract', 'terms']);
const MOST = 40;
const LONGEST = 600;
const MOST_BLOCKS = 3000;

/**
 * Sentences that set a duty, in the six languages of the labels: the party stands first, then a verb that binds.
 * Questions, conditions and permissions set no duties.
 */
const DUTIES: readonly RegExp[] = [
  /^(?:The )?(?<party>(?:[Bb]oth |[Ee]ach |[Ee]ither )?\p{L}[\p{L}’'-]*(?: \p{Lu}[\p{L}’'-]*){0,3}) (?:(?:hereby )?(?:agrees?|undertakes?|covenants?)(?: with [^,.]{3,40})? (?:not )?to|shall|must|(?:is|are) (?:required|obliged|bound) (?:not )?to)(?! (?:have|mean|include|be (?:construed|deemed|governed|entitled|read|limited|taken))\b)\b/u,
  /^(?:Der|Die|Das) (?<party>\p{Lu}\p{L}+) (?:ist|sind|verpflichtet|muss|müssen|hat sich|haben)\b(?=.{0,160}(?:verpflichtet|\bzu \p{L}+en\b|muss|müssen|hat .* zu))/u,
  /^(?:Le|La|Les|L[’'])\s?(?<party>\p{L}[\p{L}-]+) (?:doit|doivent|devra|devront|s[’']engagent?|s[’']oblige(?:nt)?|est tenue?|sont tenue?s|est obligée?)(?!\p{L})/iu,
  /^(?:De|Het) (?<party>\p{L}[\p{L}-]+) (?:moet|moeten|dient|dienen|is verplicht|zijn verplicht|verbindt zich|verplicht zich)(?!\p{L})/iu,
  /^(?:El|La|Los|Las) (?<party>\p{L}[\p{L}-]+) (?:deberá|deberán|debe|deben|se obligan?|se comprometen?|está obligad[oa]|queda obligad[oa])(?!\p{L})/iu,
  /^(?:Il|Lo|La|I|Gli|Le|L[’'])\s?(?<party>\p{L}[\p{L}-]+) (?:deve|devono|dovrà|dovranno|si obbliga(?:no)?|si impegna(?:no)?|è tenut[oa]|è obbligat[oa])(?!\p{L})/iu,
];
/** Subjects that are not parties: "This clause shall …" binds nobody. */
const NO_PARTY =
  /^(?:what|who|when|where|how|if|this|that|these|those|it|there|such|any|no|nothing|all|each notice|notice|payment|terms?|agreement|clause|section|price|prices|rent|contract|vertrag|miete|preis|contrat|loyer|prix|huur|prijs|contrato|renta|precio|contratto|canone|prezzo)\b/i;
const RENEWAL =
  /\b(?:(?:automatically (?:be )?(?:renew|extend)|renew(?:s|ed)? automatically|extend(?:s|ed)? automatically)|verlängert sich|tacite(?:ment)? reconduit|tacite reconduction|reconduit tacitement|stilzwijgend|automatisch verlengd|se (?:renovará|prorrogará)|tácita(?:mente)?|si rinnova|tacit(?:o|amente) rinnov)/iu;
const BEFORE_DAY =
  /(?:\bby|\bbefore|\buntil|\bthan|\bon|\bbis(?: zum)?|\bzum|\bam|\bavant(?: le)?|\ble|\bvóór|\bvoor|\bop|\bantes del?|\bel|\bentro il|\bil)\s*$/iu;

/**
 * The obligations in a lease, a contract or terms: duties with their party and the day they name, renewals, and the last
 * day for a notice, calculated from the end and the period of notice. Each is cited.
 */
export function findObligations(
  { blocks, kind, fields }: { blocks: readonly Block[]; kind: DocumentKind; fields: readonly Field[] },
  { citer, language, dayFirst }: { citer: Citer; language: string | null; dayFirst: boolean },
): Obligation[] {
  if (!BINDING.has(kind)) return [];
  const segmenter = new Intl.Segmenter(language ?? 'en', { granularity: 'sentence' });
  const found = blocks.slice(0, MOST_BLOCKS).flatMap((block): Obligation[] => {
    if (block.type !== 'para' && block.type !== 'list') return [];
    return [...segmenter.segment(block.text)].flatMap(({ segment, index }): Obligation[] => {
      const trimmed = segment.trim().replace(/^(?:\(?\p{L}?[\d.]{0,8}\)?[.)]?|[•‣▪◦·–—*-])\s+/u, '');
      if (trimmed.length > LONGEST || trimmed.length < 20) return [];
      const said = saidIn(trimmed);
      if (said === undefined) return [];
      const start = index + segment.indexOf(trimmed);
      const deadline = deadlineIn(trimmed, dayFirst);
      return [
        {
          ...said,
          text: trimmed.replace(/\s+/g, ' '),
          ...(deadline === undefined ? {} : { deadline }),
          cites: [citer.at(block, start, start + trimmed.length)],
        },
      ];
    });
  });
  return [...lastDayForNotice(fields), ...found].slice(0, MOST);
}

function saidIn(sentence: string): Pick<Obligation, 'kind' | 'party'> | undefined {
  // A heading or a question sets no duty.
  if (!/[.;:]["”»)]?$/.test(sentence)) return undefined;
  if (RENEWAL.test(sentence)) return { kind: 'renewal' };
  for (const pattern of DUTIES) {
    const party = pattern.exec(sentence)?.groups?.party;
    if (party === undefined) continue;
    return NO_PARTY.test(party) ? undefined : { kind: 'duty', party };
  }
  return undefined;
}

/** The day that a sentence names as the last or the only one. */
function deadlineIn(sentence: string, dayFirst: boolean): string | undefined {
  const day = findDate(sentence, dayFirst);
  if (day === undefined) return undefined;
  return BEFORE_DAY.test(sentence.slice(0, sentence.indexOf(day.printed))) ? day.iso : undefined;
}

/** The last day for a notice, if the fields give the end and the period. */
export function lastDayForNotice(fields: readonly Field[]): Obligation[] {
  const [end, period] = ['end_date', 'notice_period'].map((key) => fields.find((field) => field.key === key));
  const day = end?.normalized === undefined ? undefined : noticeDay(end.normalized, period?.value ?? '');
  if (day === undefined || end === undefined || period === undefined) return [];
  return [
    {
      kind: 'notice_day',
      text: `Notice for the end on ${readableDay(end.normalized)} has to be given by ${readableDay(day)}, as the period is ${period.value}.`,
      deadline: day,
      cites: [...end.cites, ...period.cites].slice(0, 4),
    },
  ];
}
