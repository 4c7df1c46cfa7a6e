import type { Block, DocumentKind } from '../contract/report.contract.ts';

/** Marks of each kind: a pattern and its weight. A mark in the first lines counts three times. */
const MARKS: Record<Exclude<DocumentKind, 'other'>, readonly [RegExp, number][]> = {
  invoice: [
    [/\b(tax |vat |sales |commercial )?invoice\b|\brechnung\b|\bfacture\b|\bfactuur\b/i, 3],
    [/\binvoice (no|number|date)\b|\brechnungs(nummer|datum|-nr)\b|\bfacture n/i, 3],
    [/\b(amount|total|balance) due\b|\bzahlbar\b|\bpayment terms\b|\bdue date\b|\bnet à payer\b/i, 2],
    [/\bvat\b|\bsubtotal\b|\bmwst\b|\bust\b|\btva\b|\bbtw\b|\bgst\b/i, 1],
  ],
  credit_note: [[/\bcredit note\b|\bgutschrift\b|\bavoir\b|\brechnungskorrektur\b/i, 6]],
  receipt: [
    [/\breceipt\b|\bquittung\b|\bticket de caisse\b/i, 3],
    [/\b(cash|change|card payment|cashier|till)\b/i, 1.5],
  ],
  quotation: [
    [/\b(quotation|quote|estimate)\b|\bangebot\b|\bdevis\b/i, 3],
    [/\bvalid (until|for)\b/i, 2],
  ],
  purchase_order: [
    [/\bpurchase order\b|\bbestellung\b/i, 4],
    [/\bpo (no|number)\b/i, 2],
  ],
  bank_statement: [
    [/\b(bank |account )?statement\b/i, 2],
    [/\b(opening|closing) balance\b|\bsort code\b/i, 3],
  ],
  lease: [
    [
      /\b(tenancy agreement|lease)\b|\b(wohnungs|haupt|unter|gewerbe)?mietvertrag\b|\bcontrat de (bail|location)\b|\bbail (d['’]habitation|commercial|professionnel)\b|\bhuur(overeenkomst|contract)\b|\bcontrato de arrendamiento\b|\bcontratto di locazione\b/i,
      4,
    ],
    [
      /\b(landlord|tenant|lessor|lessee)\b|\b(ver)?mieter(in|s)?\b|\b(bailleur|locataire|preneur)\b|\b(ver)?huurder\b|\b(arrendador|arrendatari[oa])\b|\b(locatore|conduttore|locatario)\b/i,
      3,
    ],
    [
      /\b(rent|deposit|premises)\b|\b(kalt|warm)?miete\b|\bkaution\b|\bloyer\b|\bdépôt de garantie\b|\bhuurprijs\b|\bwaarborgsom\b|\b(renta|fianza|canone|cauzione)\b/i,
      1.5,
    ],
  ],
  contract: [
    [
      /\b(agreement|contract|contrat|contrat(o|to)|\p{L}*vertrag|\p{L}*overeenkomst)\b(?! ?(n[.º°ro]|nú?m))/iu,
      2.5,
    ],
    [
      /\b(hereinafter|whereas|hereby|in witness whereof|the parties|governing law)\b|\b(nachfolgend|im folgenden|vertragsparteien|gerichtsstand)\b|\bci-après\b|\bles parties\b|\b(hierna|partijen)\b|\ben adelante\b|\blas partes\b|\bdi seguito\b|\ble parti\b/i,
      2.5,
    ],
    [
      /\b(shall|terminat(e|ion)|liability|confidential|indemnif)|\b(kündig|haftung|vertraulich)|\b(résili|responsabilité|confidentialité)|\b(opzeg|aansprakelijk|vertrouwelijk)|\b(rescisión|resolución|responsabilidad|confidencial)|\b(recesso|risoluzione|responsabilità|riservatezza)/i,
      1.5,
    ],
  ],
  terms: [
    [
      /\bterms (and conditions|of (service|use|sale|supply|business))\b|\bsupplier terms\b|\bagb\b|\ballgemeine (geschäfts|nutzungs)bedingungen\b|\bconditions générales\b|\balgemene voorwaarden\b|\b(condiciones generales|condizioni generali)\b/i,
      8,
    ],
  ],
  policy: [
    [/\b(privacy|security|data protection|acceptable use|company|cookie) policy\b/i, 4],
    [/\bpolicy\b/i, 1],
  ],
  letter: [
    [
      /\bdear (sir|madam|mr|mrs|ms|dr|\p{Lu}\p{Ll}+)|\bsehr geehrte|\b(madame|monsieur), ?(monsieur|madame)\b|\bcher(?:e)? (madame|monsieur)\b|\bgeachte (heer|mevrouw)|\bestimad[oa]s? (señor|cliente)|\b(gentile|egregio|spettabile) (signor|client|dott)/iu,
      7,
    ],
    [
      /\b(yours (sincerely|faithfully|truly)|kind regards|mit freundlichen grüßen|sincerely yours|cordialement|met vriendelijke groet|atentamente|cordiali saluti|distinti saluti)\b|\bveuillez agréer/i,
      7,
    ],
  ],
  minutes: [
    [/\b(minutes of|meeting minutes)\b/i, 5],
    [/\b(apologies|attendees|matters arising|action items?)\b/i, 2],
  ],
  cv: [
    [/\b(curriculum vitae|résumé)\b/i, 5],
    [/\b(work experience|employment history|education|skills|references)\b/i, 1.2],
  ],
  paper: [
    [/\babstract\b/i, 3],
    [/\b(references|bibliography)\b/i, 1.5],
    [/\b(et al\.|related work|proceedings|doi|university)\b/i, 1.5],
    [/\[\d{1,3}(, ?\d{1,3})*\]/, 1],
  ],
  report: [
    [/\b(annual|quarterly|progress|final|technical) report\b/i, 4],
    [/\bexecutive summary\b|\bfindings\b/i, 2],
  ],
  manual: [
    [/\b(user('s)?|reference|instruction|installation|owner's) (manual|guide)\b|\bmanual\b/i, 3.5],
    [/\b(command line|options?|click|install(ation)?|chapter \d)\b/i, 1],
  ],
  form: [[/\b(application form|please (complete|tick|print)|signature of applicant|for office use)\b/i, 4]],
  speech: [[/\b(remarks by|speech by|ladies and gentlemen)\b/i, 5]],
};

const HEAD_CHARACTERS = 700;
const BODY_CHARACTERS = 60_000;
/** With fewer points the kind is `other`: better unsure than wrong. */
const ENOUGH = 6;
const CERTAIN_POINTS = 18;

/** The kind of a document and how sure that is, 0 to 1. */
export function classifyKind(
  blocks: readonly Block[],
  title: string,
): { kind: DocumentKind; confidence: number } {
  const text = blocks
    .map((block) => block.text)
    .join('\n')
    .slice(0, BODY_CHARACTERS);
  const head = `${title}\n${text.slice(0, HEAD_CHARACTERS)}`;
  const scores = Object.entries(MARKS)
    .map(([kind, marks]) => ({ kind: kind as DocumentKind, points: points(marks, head, text) }))
    .sort((a, b) => b.points - a.points);
  const [best, second] = scores;
  if (best === undefined || second === undefined || best.points < ENOUGH)
    return { kind: 'other', confidence: 0 };
  const lead = (best.points - second.points) / best.points;
  const confidence = Math.min(0.97, 0.45 + 0.3 * Math.min(1, best.points / CERTAIN_POINTS) + 0.3 * lead);
  return { kind: best.kind, confidence: Math.round(confidence * 100) / 100 };
}

function points(marks: readonly [RegExp, number][], head: string, text: string): number {
  let sum = 0;
  for (const [pattern, weight] of marks) {
    const every = new RegExp(pattern.source, `${pattern.flags}g`);
    const count = text.match(every)?.length ?? 0;
    // A long text contains every word somewhere, so the density of the marks counts.
    const density = count / Math.max(1, text.length / 3000);
    if (count > 0) sum += weight * Math.min(2, 0.4 + density / 2);
    if (pattern.test(head)) sum += weight * 1.6;
  }
  return sum;
}
