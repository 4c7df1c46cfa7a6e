import { findDuration } from '../values/durations.ts';

/** Terms that count from the bill's date: "30 days net", "Net 30", "zahlbar innerhalb von 14 Tagen", "à 30 jours". */
const TERMS: readonly RegExp[] = [
  /(?<!\p{L})net(?:t)? (?<days>\d{1,3})(?![\d.,%])/iu,
  /(?<days>\d{1,3}) (?:days?|tage|jours|dagen|d[ií]as|giorni),? net(?:t|to)?(?!\p{L})/iu,
  /(?<!\p{L})(?:pay|payable|payment|due|settle(?:ment)?|terms)(?!\p{L})[^.;]{0,60}?(?:within|in|of|:|-)? ?(?<days>\d{1,3}) (?:calendar )?days(?!\p{L})/iu,
  /(?:zahl|überweis|begleich|fällig)[^.;]{0,70}?(?:innerhalb|innert|binnen|in|:|von)(?: von)? (?<days>\d{1,3}) (?:kalender)?tagen?(?!\p{L})/iu,
  /(?:paiement|payable|règlement|régler|payer)[^.;]{0,50}?(?:à|sous|dans les|:) ?(?<days>\d{1,3}) jours(?!\p{L})/iu,
  /(?:betal|voldoen|voldoe)[^.;]{0,60}?(?:binnen|:) ?(?<days>\d{1,3}) dagen(?!\p{L})/iu,
  /(?:pago|pagar|vencimiento|plazo)[^.;]{0,40}?(?:a|en|de|:) ?(?<days>\d{1,3}) d[ií]as(?!\p{L})/iu,
  /(?:pagament|pagare|scadenza|termini)[^.;]{0,40}?(?:a|entro|:) ?(?<days>\d{1,3}) giorni(?!\p{L})/iu,
];
/** Terms that count from another event, belong to a price reduction, or concern late payment. */
const OTHER_TERMS =
  /end of (?:the )?month|\beom\b|month end|monatsende|fin d[eu] mois|fine mese|fin de mes|einde (?:van de )?maand|\bf\.? ?m\.|receipt|erhalt|eingang|zugang|réception|ontvangst|recepción|ricevimento|deliver|lieferung|livraison|levering|entrega|consegna|late|overdue|interest|verzug|mahn|retard|pénalité|intérêt|rente|demora|interes|mora\b|return|cancel|complain|dispute|object|rückgabe|widerruf|widersp|retour|réclamation|previous|abzüglich/i;
const DISCOUNT = /%|skonto|discount|escompte|korting|descuento|sconto/i;
/** Longer terms, in days, are not terms of payment. */
const LONGEST = 120;

/**
 * The due date that terms of payment give without naming it. Undefined for terms in working days, and for terms that
 * count from the receipt of the bill or the end of a month.
 *
 * @param sentence one cell or line of the bill
 * @param issued ISO date of the bill
 */
export function paymentDay(sentence: string, issued: string): { printed: string; iso: string } | undefined {
  if (sentence.length > 240 || OTHER_TERMS.test(sentence)) return undefined;
  // Beside a price reduction only a term that is called net counts.
  const terms = DISCOUNT.test(sentence) ? TERMS.slice(0, 2) : TERMS;
  for (const pattern of terms) {
    const match = pattern.exec(sentence);
    const days = Number(match?.groups?.days);
    if (match === null || !(days >= 1 && days <= LONGEST)) continue;
    const printed = sentence.slice(match.index + match[0].search(/net(?:t)? \d|\d/i)).slice(0, LONGEST_PRINT);
    if (findDuration(printed)?.working === true) return undefined;
    const day = new Date(Date.parse(issued) + days * 86_400_000);
    return { printed: (PRINT.exec(printed)?.[0] ?? printed).trim(), iso: day.toISOString().slice(0, 10) };
  }
  return undefined;
}

const LONGEST_PRINT = 40;
const PRINT = /^(?:nett? \d{1,3}|\d{1,3} (?:(?:calendar|kalender) ?)?\p{L}+(?:,? net(?:t|to)?(?!\p{L}))?)/iu;
