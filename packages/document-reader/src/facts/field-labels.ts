import type { Field } from '../contract/report.contract.ts';

/** A label that documents print before a value. */
export interface FieldLabel {
  readonly key: string;
  /** Name of the field in the report. */
  readonly label: string;
  readonly type: Field['type'];
  readonly pattern: RegExp;
  /** Confidence of a value directly after the label, 0 to 1. */
  readonly weight: number;
  /** Whether it may stand inside a sentence too. */
  readonly anywhere?: boolean;
  /** Whether the last of several equally good places counts, not the first. */
  readonly last?: boolean;
}

const label = (
  [key, name, type]: readonly [key: string, name: string, type: FieldLabel['type']],
  weight: number,
  pattern: RegExp,
  extra: { anywhere?: boolean; last?: boolean } = {},
): FieldLabel => ({ key, label: name, type, weight, pattern, ...extra });

/**
 * Labels in English, German, French and Dutch (docs/contracts/documents.md §3.3), and those of agreements in Spanish and
 * Italian too. The more exact pattern of a field weighs more.
 */
export const FIELD_LABELS: readonly FieldLabel[] = [
  label(
    ['agreement_number', 'Agreement number', 'id'],
    0.85,
    /\b(?:agreement|contract|policy|lease) (?:no|number|ref(?:erence)?)\b\.?|\bvertragsnummer\b/i,
    { anywhere: true },
  ),
  label(
    ['issue_date', 'Issue date', 'date'],
    0.93,
    /\b(?:invoice date|date of (?:issue|invoice)|issue date|issued(?: on)?|tax point|rechnungsdatum|belegdatum|date (?:de )?(?:la )?facture|date d['’][ée]mission|factuurdatum)\b/i,
    { anywhere: true },
  ),
  label(['issue_date', 'Issue date', 'date'], 0.75, /^(?:dated?|datum|date)\b(?! of birth)/i),
  label(['issue_date', 'Issue date', 'date'], 0.72, /\bdated\b/i, { anywhere: true }),
  label(
    ['due_date', 'Due date', 'date'],
    0.92,
    /\b(?:(?:payment )?due(?: date)?(?: on| by)?|pay(?:able|ment)? (?:by|before|until)|please pay by|f[äa]llig(?:keit)?(?:sdatum)?(?: am| bis)?|zahlbar bis(?: zum)?|zahlungsziel|date d['’][ée]ch[ée]ance|[ée]ch[ée]ance|vervaldatum|te betalen v[oó]+r)\b/i,
    { anywhere: true },
  ),
  label(
    ['start_date', 'Start date', 'date'],
    0.85,
    /\b(?:commencement date|start date|commenc(?:es|ing)(?: on)?|effective (?:date|as of|from)|with effect from|begins? on|starting on|(?:vertrags|miet)beginn|beginnt am|tritt am|date (?:de début|d['’]effet|de prise d['’]effet)|prend effet le|ingangsdatum|begindatum|gaat in op|fecha de (?:inicio|comienzo)|comienza el|entra en vigor el|data di (?:inizio|decorrenza)|decorre dal|ha inizio il)(?!\p{L})/iu,
    { anywhere: true },
  ),
  label(
    ['end_date', 'End date', 'date'],
    0.85,
    /\b(?:end date|expiry date|expires?(?: on)?|ends? on|termination date|valid until|until and including|ending on|(?:vertrags|miet)ende|endet (?:am|mit (?:dem )?ablauf des)|befristet bis|date (?:de fin|d['’]expiration)|prend fin le|expire le|einddatum|eindigt op|loopt tot(?: en met)?|fecha de (?:fin|finalización|terminación)|finaliza el|termina el|vence el|data di (?:fine|cessazione)|termina il|scade il|cessa il)(?!\p{L})/iu,
    { anywhere: true },
  ),
  label(
    ['total', 'Total', 'money'],
    0.94,
    /\b(?:(?:grand|invoice) total|total (?:amount )?(?:due|payable|to pay)|amount (?:due|payable)|balance due|total (?:incl|inc)(?:l?uding|\.)?[^:]{0,14}|gesamtbetrag(?: brutto)?|rechnungsbetrag|zahlbetrag|bruttobetrag|bruttosumme|gesamtsumme|endbetrag|montant (?:total )?ttc|total ttc|net [àa] payer|te betalen|totaal(?:bedrag)?)\b/i,
    { anywhere: true, last: true },
  ),
  label(
    ['total', 'Total', 'money'],
    0.8,
    /^(?:total|gesamt|summe|totaal)\b(?! (?:net|ht|excl|vat|tax|before|discount))/i,
    { last: true },
  ),
  label(
    ['rent', 'Rent', 'money'],
    0.88,
    /\b(?:monthly |annual |yearly )?rent\b|\b(?:kalt|warm|gesamt)?miete\b|\bloyer\b|\b(?:kale )?huurprijs\b|\brenta (?:mensual|anual)\b|\bcanone\b/i,
    {
      anywhere: true,
    },
  ),
  label(
    ['deposit', 'Deposit', 'money'],
    0.88,
    /\b(?:security |tenancy |damage )?deposit\b|\b(?:miet)?kaution\b|\bdépôt de garantie\b|\bwaarborgsom\b|\bfianza\b|\b(?:deposito cauzionale|cauzione)\b/i,
    {
      anywhere: true,
    },
  ),
  label(['fee', 'Fee', 'money'], 0.75, /\b(?:annual|monthly|service|licence) (?:fee|charge)s?\b/i, {
    anywhere: true,
  }),
  label(
    ['liability_cap', 'Liability cap', 'money'],
    0.7,
    /\b(?:total |aggregate )?liability\b[^.]{0,60}?(?:exceed|limited to)\b/i,
    { anywhere: true },
  ),
  label(
    ['notice_period', 'Notice period', 'duration'],
    0.82,
    /\b(?:notice period|not less than|at least)\b(?=[^.]{0,60}notice)|\b(?:with|by giving|upon|on|giving|gives?|by)\b(?= (?:\S+ ){1,4}(?:days|weeks|months|years)[’']? (?:prior |advance |written )*notice)|\bnotice period\b|\bkündigungsfrist|\bfrist (?:von|beträgt)(?=[^.]{0,90}kündig)|\bkündig[^.]{0,60}\bfrist von|\bpréavis(?!\p{L})|\bopzegtermijn|\bopzeg[^.]{0,60}\btermijn van|\bpreaviso|\bantelación(?: mínima)?(?=[^.]{0,60}(?:\bd[ií]as|\bmes))|\bpreavviso|\bdisdetta[^.]{0,60}\balmeno/iu,
    { anywhere: true },
  ),
  label(
    ['term', 'Term', 'duration'],
    0.8,
    /\b(?:initial )?(?:term|period) of\b|^term\b|\b(?:vertrags|miet)(?:laufzeit|dauer)|\blaufzeit von\b|\bdurée (?:initiale |ferme )?(?:de|du (?:bail|contrat))|\b(?:looptijd|duur) van\b|\b(?:plazo|duración)(?: inicial)? de\b|\bdurata (?:di|del contratto)/iu,
    {
      anywhere: true,
    },
  ),
  label(
    ['payment_terms', 'Payment terms', 'duration'],
    0.8,
    /\b(?:payment terms|payable within|pay(?:ment)? (?:\w+ ){0,6}within|zahlbar innerhalb(?: von)?)\b/i,
    { anywhere: true },
  ),
  label(
    ['vat_id', 'VAT number', 'id'],
    0.9,
    /\b(?:vat (?:reg(?:istration)? )?(?:no|number|id)|ust-?id(?:-?nr)?|umsatzsteuer-?id|tva intra(?:communautaire)?|btw-?(?:nr|nummer|id))\b\.?/i,
    { anywhere: true },
  ),
  label(
    ['company_number', 'Company number', 'id'],
    0.88,
    /\b(?:company (?:reg(?:istration)? )?(?:no|number)|registered (?:no|number)|registered in [^.,]{3,40}(?:no|number)|siret|kvk)\b\.?/i,
    { anywhere: true },
  ),
  label(['iban', 'IBAN', 'iban'], 0.95, /\biban\b/i, { anywhere: true }),
  label(['sort_code', 'Sort code', 'id'], 0.9, /\bsort code\b/i, { anywhere: true }),
  label(['landlord', 'Landlord', 'party'], 0.8, /^(?:the )?landlord\s*:?(?=$|\s*:|\s{2,})/i),
  label(['tenant', 'Tenant', 'party'], 0.8, /^(?:the )?tenant\s*:?(?=$|\s*:|\s{2,})/i),
  label(
    ['supplier', 'Supplier', 'party'],
    0.78,
    /^(?:supplier|seller|vendor|from|verk[äa]ufer|lieferant|fournisseur)\s*:?$/i,
  ),
  label(
    ['customer', 'Customer', 'party'],
    0.8,
    /^(?:bill(?:ed)? to|invoice to|customer|client|sold to|buyer|k[äa]ufer|kunde|factur[ée] [àa])\s*:?$|^(?:bill(?:ed)? to|invoice to|customer|client)\s*:/i,
  ),
  label(['property', 'Property', 'text'], 0.8, /^(?:the )?(?:property|premises)\s*:/i),
  label(['subject', 'Subject', 'text'], 0.75, /^(?:subject|re|betreff|objet)\s*:/i),
  label(['reference', 'Reference', 'id'], 0.7, /^(?:our |your )?ref(?:erence)?\b\.?/i),
];
