/** Words of the scans that tests and benches make; all are invented. */

export type ScanLanguage = 'en' | 'de' | 'fr';

export const SENTENCES: Readonly<Record<ScanLanguage, readonly string[]>> = {
  en: [
    'The landlord shall repair the roof within fourteen days of written notice from the tenant.',
    'We have reviewed the accounts for the quarter and found that travel costs rose by 12 per cent.',
    'Please return both signed copies to our office in Harlow before the end of next week.',
    'Deliveries arrive between 6.30 and 9.00 in the morning, except on public holidays.',
    'The committee agreed that the northern gate should stay open during the summer.',
    'Any dispute about the quality of the goods must be raised within three working days.',
    'Your membership number is 48213 and your reference is KT-7719.',
    'The engineer replaced two valves, tested the boiler and left a written report.',
    'Interest of £45.20 was added to the balance because the payment was late.',
    'Nobody may use the workshop alone after eight in the evening.',
    'Our records show that the policy was renewed on 14 March 2026 for a further year.',
    'The choir sang four pieces, of which the last was written by a local teacher.',
    'If the weather is poor, the market moves to the hall behind the library.',
    'She explained that the figures had been checked twice by independent auditors.',
  ],
  de: [
    'Der Vermieter übernimmt die Kosten für größere Reparaturen am Gebäude.',
    'Wir bestätigen Ihre Bestellung vom 14. März und liefern innerhalb von fünf Werktagen.',
    'Die Straße wird wegen Bauarbeiten für drei Wochen vollständig gesperrt.',
    'Bitte überweisen Sie den Betrag von 238,50 Euro bis zum Ende des Monats.',
    'Das Gerät darf nur von geschulten Personen geöffnet und gewartet werden.',
    'Über die Höhe der Gebühren entscheidet der Ausschuss in seiner nächsten Sitzung.',
    'Für Rückfragen stehen wir Ihnen täglich zwischen acht und siebzehn Uhr zur Verfügung.',
    'Die Mitglieder wählten Frau Schröder erneut zur Vorsitzenden des Vereins.',
    'Änderungen dieses Vertrages bedürfen der Schriftform und beider Unterschriften.',
    'Der Zug nach Süden fährt heute ausnahmsweise von Gleis sieben ab.',
    'Nach Prüfung der Unterlagen können wir den Antrag leider nicht bewilligen.',
    'Die Heizung wurde gereinigt und der Druck auf den üblichen Wert eingestellt.',
  ],
  fr: [
    'Le locataire doit entretenir le jardin et tailler les haies chaque année.',
    'Nous avons bien reçu votre demande du 3 février et nous vous en remercions.',
    'La réunion a été reportée à la semaine prochaine en raison de la grève.',
    'Les frais de déplacement sont remboursés sur présentation des reçus.',
    'Cette garantie ne couvre pas les dégâts causés par une mauvaise utilisation.',
    'Le conseil a décidé de rénover la façade de l’école avant la rentrée.',
    'Votre numéro de contrat est le 55120 et votre échéance est fixée au 30 juin.',
    'Après contrôle, le technicien a remplacé la pièce défectueuse.',
    'Toute réclamation doit être adressée par écrit dans un délai de dix jours.',
    'Le marché se tient le jeudi matin sur la place située derrière la mairie.',
    'Elle précise que les chiffres ont été vérifiés par un cabinet indépendant.',
    'Le montant dû s’élève à 412,80 euros, payable à réception de la facture.',
  ],
};

interface InvoiceWords {
  readonly sender: string;
  readonly address: string;
  readonly title: string;
  readonly date: string;
  readonly columns: readonly string[];
  readonly items: readonly string[];
  readonly total: string;
  readonly thanks: string;
}

export const INVOICE_LINES: Readonly<Record<ScanLanguage, InvoiceWords>> = {
  en: {
    sender: 'Marlow Joinery Ltd',
    address: '18 Quarry Road, Harlow CM17 4QT',
    title: 'Invoice',
    date: 'Date of issue:',
    columns: ['Description', 'Quantity', 'Price', 'Amount'],
    items: ['Oak shelf, planed', 'Hinge, brass', 'Delivery to site', 'Fitting per hour', 'Varnish, clear'],
    total: 'Total due',
    thanks: 'Thank you for your order. Please pay within thirty days.',
  },
  de: {
    sender: 'Tischlerei Möller GmbH',
    address: 'Gärtnerstraße 18, 50667 Köln',
    title: 'Rechnung Nr.',
    date: 'Rechnungsdatum:',
    columns: ['Bezeichnung', 'Menge', 'Preis', 'Betrag'],
    items: ['Regal aus Eiche', 'Türbeschlag, Messing', 'Lieferung frei Haus', 'Montage je Stunde'],
    total: 'Gesamtbetrag',
    thanks: 'Vielen Dank für Ihren Auftrag. Zahlbar innerhalb von dreißig Tagen.',
  },
  fr: {
    sender: 'Menuiserie Lefèvre SARL',
    address: '18 rue des Écoles, 69003 Lyon',
    title: 'Facture n°',
    date: 'Date de facturation :',
    columns: ['Désignation', 'Quantité', 'Prix', 'Montant'],
    items: ['Étagère en chêne', 'Charnière en laiton', 'Livraison sur site', 'Pose à l’heure'],
    total: 'Total à payer',
    thanks: 'Merci de votre confiance. Payable sous trente jours.',
  },
};
