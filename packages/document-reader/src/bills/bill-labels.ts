import { folded } from '../values/folded-text.ts';

/** What the value beside a label is. */
export type BillRole =
  | 'number'
  | 'date'
  | 'due'
  | 'gross'
  | 'payable'
  | 'net'
  | 'tax'
  | 'prepaid'
  | 'delivery'
  | 'order'
  | 'quote'
  | 'customer_number'
  | 'supplier'
  | 'customer'
  | 'other';

/** A label as documents print it. */
export interface BillLabel {
  readonly role: BillRole;
  /** Folded. */
  readonly phrase: string;
  /** How surely the label has this role, 0 to 1. */
  readonly weight: number;
}

/**
 * Labels in English, German, French, Dutch, Spanish and Italian, by role. The labels in a role's first list mean nothing
 * else; each further list is weaker.
 */
const LABELS: Readonly<Record<BillRole, readonly string[]>> = {
  number: [
    `invoice number|invoice no|invoice nr|invoice num|invoice id|invoice ref|invoice reference|inv no|inv number|inv id|inv ref|vorgangsnummer|vorgangs nr|vorgangsnr|
     inv nr|tax invoice no|tax invoice number|bill no|bill number|billing document|document no|document number|doc no|credit note no|
     credit note number|credit note nr|credit no|receipt no|receipt number|no of invoice|number of invoice|
     rechnungsnummer|rechnungsnr|rechnungs nr|rechnung nr|rechnung nummer|rechnung no|re nr|rg nr|rechn nr|belegnummer|
     beleg nr|belegnr|gutschriftsnummer|gutschriftnummer|gutschrift nr|gutschriftsnr|dokumentnummer|dokumentennummer|
     dokument nr|quittungsnummer|bon nr|korrekturnummer|handelsrechnung nr|
     numero de facture|facture n|facture no|facture nr|n facture|n de facture|no facture|no de facture|facture numero|
     numero facture|numero d'avoir|avoir n|avoir no|n d'avoir|numero de piece|piece n|n de piece|reference facture|
     facture ref|numero de la facture|n de la facture|
     factuurnummer|factuurnr|factuur nr|factuur no|factuur nummer|notanummer|nota nr|creditnotanummer|creditnota nr|
     creditfactuurnummer|bonnummer|
     numero de factura|n de factura|no de factura|factura n|factura no|factura nr|factura num|n factura|no factura|
     num factura|factura numero|numero factura|numero de la factura|factura rectificativa n|n de documento|
     numero de documento|
     numero fattura|numero della fattura|fattura n|fattura no|fattura nr|fattura numero|n fattura|nr fattura|
     num fattura|numero documento|n documento|documento n|fattura num|numero di fattura|nota di credito n`,
    'invoice|inv|tax invoice|credit note|rechnung|gutschrift|facture|avoir|factuur|creditnota|creditfactuur|factura|fattura|beleg|faktura|bill',
    'number|nummer|numero|nr|no|document|documento',
  ],
  date: [
    `invoice date|date of invoice|date of issue|issue date|issued on|date issued|issued|tax point|tax point date|tax date|
     bill date|document date|receipt date|credit note date|invoiced on|invoice dated|date of document|
     rechnungsdatum|belegdatum|beleg datum|ausstellungsdatum|datum der rechnung|rechnung vom|ausgestellt am|
     ausgestellt|rechnungsdat|gutschriftsdatum|datum der ausstellung|
     date de facture|date facture|date de la facture|date d'emission|date emission|date d'etablissement|emise le|
     facture du|date de facturation|date du document|facturee le|date d'avoir|etablie le|
     factuurdatum|factuur datum|datum factuur|uitgiftedatum|documentdatum|opgemaakt op|datum van uitgifte|
     fecha de factura|fecha factura|fecha de la factura|fecha de emision|fecha de expedicion|fecha emision|
     fecha expedicion|emitida el|fecha del documento|
     data fattura|data della fattura|data emissione|data di emissione|data documento|data del documento|emessa il|
     data doc`,
    'date|dated|datum|fecha|data|le|dd|del|fait le|emision|emissione|dt',
  ],
  due: [
    `due date|payment due|payment due date|payment due by|due on|due by|date due|pay by|payable by|please pay by|
     payment by|payable on|to be paid by|settle by|pay before|due for payment|due|pay until|payment deadline|
     faelligkeitsdatum|fälligkeitsdatum|fällig am|fällig bis|fällig|fälligkeit|zahlbar bis|zahlbar bis zum|zahlbar am|
     zu zahlen bis|zahlungsziel|zahlung bis|bitte zahlen sie bis|zahlungstermin|zahlung fällig|zahlungsfrist|
     zahlbar spätestens am|zahlung fällig am|
     date d'echeance|echeance|a payer avant le|date limite de paiement|a regler avant le|payable le|echeance le|
     payable avant le|date echeance|a payer pour le|a regler le|a payer le|paiement avant le|paiement le|
     vervaldatum|te betalen voor|betalen voor|uiterste betaaldatum|vervalt op|te voldoen voor|uiterlijk betalen op|
     te betalen uiterlijk|betalen uiterlijk|uiterlijke betaaldatum|betaaldatum|verval|te betalen op|betalen voor of op|
     fecha de vencimiento|vencimiento|fecha vencimiento|pagar antes del|vence el|fecha limite de pago|pagadero antes del|
     vto|a pagar antes del|vence|
     data scadenza|scadenza|data di scadenza|scade il|da pagare entro|pagamento entro|scadenza pagamento|
     da pagare entro il|pagamento entro il|scadenza il`,
    'pay|payment date|fecha de pago|data pagamento',
  ],
  gross: [
    `grand total|invoice total|total invoice|total incl vat|total including vat|total inc vat|total incl tax|
     total including tax|total inc tax|total inc gst|total incl gst|total including gst|gross total|gross amount|
     total gross|total invoice amount|invoice amount|total for this invoice|total with tax|total inclusive|gross|
     total rm|total sales|total sales inclusive of gst|total sales incl gst|total inclusive of gst|
     rounded total|total rounded|total amt rounded|nett total|total amount|total after rounding|total amt|
     gesamtbetrag|bruttosumme|bruttobetrag|gesamtsumme|gesamt brutto|rechnungsbetrag|rechnungssumme|endbetrag|
     summe brutto|rechnungsbetrag brutto|gesamtbetrag brutto|gesamtbetrag inkl mwst|gesamtbetrag inkl ust|
     betrag brutto|rechnungsendbetrag|endsumme|rechnungsgesamtbetrag|gesamtbetrag inklusive mwst|brutto gesamt|
     gesamtsumme brutto|summe inkl mwst|gesamtpreis brutto|betrag inkl mwst|rechnungssumme brutto|
     gesamt inkl mwst|gesamt inkl ust|total inkl mwst|
     total ttc|montant ttc|montant total ttc|total toutes taxes comprises|total general|total facture|
     total de la facture|montant eur ttc|ttc|total eur ttc|montant de la facture|
     totaalbedrag|totaal incl btw|totaal inclusief btw|eindtotaal|bedrag incl btw|factuurbedrag|factuurtotaal|
     totaal inclusief|totaalbedrag incl btw|eindbedrag|inclusief btw|totaal factuur|
     total factura|importe total|total con iva|total iva incluido|total iva incl|total factura iva incluido|
     importe total factura|total con impuestos|total de la factura|
     totale fattura|importo totale|totale documento|totale ivato|totale iva inclusa|totale complessivo|
     totale bolletta|quanto devo pagare|totale lordo|totale con iva|totale generale|importo totale documento|totale iva compresa`,
    `total|totaal|totale|gesamt|montant total|total eur|total gbp|total usd|total chf|summe|endpreis|total charges|
     total current charges|current charges|total charges for this period|total charges this period|total for this period|total for this bill|facture ttc|
     total importe factura|jahresbeitrag|gesamtbeitrag`,
    'brutto|amount|importo|importe|montant|betrag|bedrag',
  ],
  payable: [
    `amount due|balance due|total due|amount payable|total payable|total amount due|total amount payable|
     amount to pay|total to pay|balance to pay|net to pay|outstanding balance|amount outstanding|balance outstanding|
     total now due|amount now due|nog te betalen|u moet nog betalen|montant a prelever|
     residual|amount owing|balance payable|payable amount|due amount|total due on|total amount due on|
     zahlbetrag|zu zahlen|zu zahlender betrag|offener betrag|restbetrag|fälliger betrag|forderungsbetrag|
     zahlungsbetrag|noch zu zahlen|zu zahlender gesamtbetrag|überweisungsbetrag|fälliger gesamtbetrag|
     net a payer|somme a payer|montant a payer|reste a payer|montant du|total a payer|solde a payer|net a payer ttc|
     montant net a payer|montant total a payer|solde du|a payer|
     te betalen|te voldoen|openstaand bedrag|totaal te betalen|te betalen bedrag|totaal te voldoen|
     total a pagar|importe a pagar|a pagar|saldo pendiente|pendiente de pago|importe pendiente|liquido a pagar|
     totale da pagare|da pagare|importo da pagare|netto a pagare|totale a pagare|importo dovuto|totale dovuto|
     saldo da pagare`,
    'balance|solde|saldo|outstanding',
  ],
  net: [
    `net total|total net|net amount|amount net|total excl vat|total excluding vat|total excl tax|total excluding tax|
     total before tax|total before vat|total ex vat|taxable amount|total without tax|amount before tax|amount excl vat|
     net value|total exclusive of gst|total excl gst|total excluding gst|total before gst|net|
     nettosumme|nettobetrag|summe nettobetrage|nettobetrage|summe netto|gesamt netto|netto gesamt|gesamtbetrag netto|rechnungssumme ohne ust|
     summe ohne mwst|nettowarenwert|nettowert|rechnungsbetrag netto|betrag netto|gesamtsumme netto|total netto|netto|
     gesamtbetrag ohne mwst|summe ohne ust|betrag ohne mwst|gesamt ohne mwst|zwischensumme netto|
     gesamtnettobetrag|
     total ht|montant ht|total hors taxes|sous total ht|montant total ht|montant hors taxes|total net ht|total hors tva|
     montant eur ht|base ht|montant net ht|total hors taxe|ht|total ht net|
     totaal excl btw|totaal exclusief btw|exclusief btw|bedrag excl btw|nettobedrag|netto bedrag|totaal exclusief|
     totaal netto|netto totaal|subtotaal excl btw|
     base imponible|importe neto|total sin iva|total neto|total base imponible|importe sin iva|total sin impuestos|
     imponibile|totale imponibile|totale netto|importo netto|totale senza iva|importo imponibile|imponibile totale|
     totale merce netto`,
    'subtotal|sub total|sous total|subtotaal|subtotale|zwischensumme|base|grondslag|totale merce|net price',
    'warenwert|positionssumme|goods total|summe positionen|bemessungsgrundlage|basisbetrag',
  ],
  tax: [
    `vat|total vat|vat total|vat amount|amount of vat|total tax|tax total|tax amount|sales tax|gst|total gst|gst amount|
     value added tax|tax|output tax|plus vat|add vat|add gst|gst payable|
     mwst|ust|mehrwertsteuer|umsatzsteuer|mwst betrag|ust betrag|steuerbetrag|umsatzsteuerbetrag|mehrwertsteuerbetrag|
     summe mwst|summe ust|summe steuer|gesamt mwst|zzgl mwst|zzgl ust|zuzüglich mwst|zuzüglich ust|mwst gesamt|
     zuzüglich mehrwertsteuer|zuzüglich umsatzsteuer|zzgl umsatzsteuer|zzgl mehrwertsteuer|enthaltene mwst|
     steuersumme|steuer|gesetzliche mwst|zzgl gesetzliche mwst|zzgl gesetzl mwst|darin enthaltene mwst|ust gesamt|
     steuerbetrag in eur|gesetzliche umsatzsteuer|summe umsatzsteuer|enthaltene umsatzsteuer|gesamtsteuerbetrag|
     of which vat|of which tax|includes vat|includes vat of|including vat of|davon mwst|davon ust|
     tva|total tva|montant tva|montant de la tva|dont tva|montant total tva|total de la tva|taxes|
     btw|btw bedrag|totaal btw|btw totaal|bedrag btw|waarvan btw|btw hoog|btw laag|
     iva|total iva|importe iva|cuota iva|total impuestos|importe de iva|cuota de iva|i v a|cuota total|
     totale iva|importo iva|totale imposta|totale imposte|di cui iva|imposta|iva totale|totale i v a`,
    'cuota|imposte|taxe',
  ],
  prepaid: [
    `erhaltene anzahlungen|anzahlung|bereits gezahlt|paid|amount paid|deposit paid|prepaid|advance payment|
     acompte|deja regle|deja paye|betaald|reeds betaald|aanbetaling|pagado|anticipo|acconto|gia pagato|versato`,
  ],
  delivery: [
    `delivery date|date of delivery|date of supply|supply date|lieferdatum|leistungsdatum|liefertermin|
     liefer und leistungsdatum|leistungszeitraum|lieferscheindatum|lieferschein datum|leistungs datum|
     date de livraison|leverdatum|fecha de entrega|data di consegna|data consegna|service date|billing period`,
  ],
  order: [
    `order number|order no|purchase order|purchase order no|po number|po no|order ref|your order|order id|order reference|
     bestellnummer|bestell nr|bestellung|auftragsnummer|auftrags nr|bestellreferenz|
     numero de commande|n de commande|commande n|bon de commande|bestelnummer|ordernummer|
     numero de pedido|n de pedido|pedido n|su pedido|numero ordine|ordine n|n ordine`,
  ],
  quote: [
    `quote no|quote number|quote nr|quote id|quote ref|quotation no|quotation number|quotation nr|quotation ref|estimate no|
     estimate number|offer no|offer number|proposal no|proposal number|proforma no|proforma number|
     angebotsnummer|angebotsnr|angebots nr|angebot nr|angebot nummer|angebot no|kostenvoranschlag nr|kostenvoranschlagsnummer|kva nr|
     numero de devis|numero du devis|n de devis|devis n|devis no|devis nr|devis numero|reference devis|
     offertenummer|offertenr|offerte nr|offerte nummer|offerte no|
     presupuesto n|presupuesto no|presupuesto num|presupuesto numero|n de presupuesto|no de presupuesto|numero de presupuesto|
     preventivo n|preventivo no|preventivo nr|preventivo numero|n preventivo|numero preventivo|numero di preventivo|
     offerta n|offerta no|offerta nr|numero offerta|numero proforma|pro forma no|pro forma number`,
  ],
  customer_number: [
    `customer number|customer no|customer id|account number|account no|client number|client no|client id|
     kundennummer|kunden nr|kundennr|numero client|n client|code client|reference client|
     klantnummer|debiteurnummer|klantnr|numero de cliente|n de cliente|codigo cliente|codice cliente|numero cliente`,
  ],
  supplier: [
    `supplier|seller|vendor|from|sold by|issued by|service provider|billed by|invoice from|biller|
     verkäufer|lieferant|rechnungssteller|leistungserbringer|rechnungsaussteller|auftragnehmer|
     fournisseur|vendeur|emetteur|prestataire|
     leverancier|verkoper|afzender|proveedor|vendedor|emisor|
     fornitore|venditore|cedente|mittente|cedente prestatore|emittente`,
  ],
  customer: [
    `bill to|billed to|invoice to|invoiced to|customer|client|sold to|buyer|billing address|bill to address|
     invoice address|customer name|recipient|
     käufer|kunde|rechnungsempfänger|käufer leistungsempfänger|leistungsempfänger|auftraggeber|rechnung an|
     rechnungsadresse|rechnungsanschrift|
     client|acheteur|facture a|factureea|adresse de facturation|destinataire|facturer a|
     credit to|credited to|a la atencion de|a l'attention de|alla cortese attenzione di|alla cortese attenzione|
     klant|koper|afnemer|factuuradres|factuur aan|gefactureerd aan|debiteur|
     cliente|comprador|facturar a|datos del cliente|destinatario|
     acquirente|cessionario|intestatario|spettabile|spett le|fatturare a|cessionario committente`,
  ],
  other: [
    `ship to|deliver to|delivered to|livrer a|liefern an|bezorgen aan|entregar a|consegnare a|delivery address|shipping address|lieferadresse|lieferanschrift|warenempfänger|abweichender warenempfänger|
     abweichender rechnungsempfänger|adresse de livraison|afleveradres|direccion de envio|indirizzo di consegna|
     order date|bestelldatum|bestell datum|auftragsdatum|orderdatum|date de commande|fecha de pedido|data ordine|
     vertragsdatum|vertrags datum|lieferschein nr|liefer und leistungsdatum|date of birth|print date|printed|
     besteldatum|skonto bis|discount date|valid until|gültig bis|period|zeitraum|payment terms|zahlungsbedingungen|
     cash|change|card|visa|mastercard|rückgeld|gegeben|rendu|wisselgeld|cambio|contanti|resto|rounding|
     rounding adjustment|rounding adj|total qty|total quantity|total items|item count|
     discount|total discount|rabatt|remise|korting|descuento|sconto|total saving|total savings|you saved|
     shipping|freight|versand|port|versandkosten|frais de port|livraison|verzendkosten|gastos de envio|spedizione|
     vat number|vat no|vat id|vat reg no|vat registration number|tax id|tax number|gst no|gst id|gst reg no|
     ust id|ust idnr|ust id nr|umsatzsteuer id|umsatzsteuer identifikationsnummer|steuernummer|steuer nr|st nr|
     tva intracommunautaire|numero de tva|n tva|n tva intracommunautaire|num tva|btw nummer|btw nr|btw id|
     nif|cif|nif cif|partita iva|p iva|codice fiscale|iban|bic|swift|mwst nr|mwst satz|ust satz|vat rate|tax rate|
     steuersatz|taux tva|taux de tva|btw tarief|tipo iva|aliquota|aliquota iva|invoice currency|company no|
     your ref|your reference|our ref|our reference|ihr zeichen|unser zeichen|ihre referenz|unsere referenz|votre reference|
     notre reference|vos references|v ref|n ref|uw kenmerk|uw referentie|ons kenmerk|onze referentie|su referencia|
     nuestra referencia|vostro riferimento|nostro riferimento|vs rif|ns rif|
     gst summary|tax summary|vat summary|vat breakdown|tax code|delivery note|delivery note no|lieferschein`,
  ],
};

const STEP = 0.22;

/** All labels by the first letters of their folded phrase, longest first. */
const BY_START = new Map<string, BillLabel[]>();
const START = 2;
const TAKEN = new Set<string>();
for (const [role, lists] of Object.entries(LABELS) as [BillRole, readonly string[]][]) {
  for (const [rank, list] of lists.entries())
    for (const words of list.split('|')) keep({ role, phrase: folded(words), weight: 0.95 - STEP * rank });
}
for (const labels of BY_START.values()) labels.sort((a, b) => b.phrase.length - a.phrase.length);

function keep(label: BillLabel): void {
  const { role, phrase } = label;
  if (phrase.length < START || TAKEN.has(`${role} ${phrase}`)) return;
  TAKEN.add(`${role} ${phrase}`);
  const start = phrase.slice(0, START);
  const known = BY_START.get(start) ?? [];
  known.push(label);
  BY_START.set(start, known);
}

/** The labels that start with the same letters as this folded text. */
export function labelsFor(foldedText: string): readonly BillLabel[] {
  return BY_START.get(foldedText.slice(0, START)) ?? [];
}
