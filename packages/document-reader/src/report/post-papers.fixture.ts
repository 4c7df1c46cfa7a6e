/**
 * Papers of several pages as they lie in the post of a firm, in English and German: statements of accounts, bills with lists of
 * calls, letters with enclosures, contracts and minutes. Names, figures and numbers are invented.
 */

import { KIND_PAPERS } from '../samples/kind-papers.fixture.ts';
import { officePdf } from '../samples/office-prints.fixture.ts';

/** How the pages of a statement say that they belong together. */
export const STATEMENT_FORMS = ['numbered', 'account', 'carried', 'balance', 'beside', 'bare'] as const;
export type StatementForm = (typeof STATEMENT_FORMS)[number];

/** A statement of an account. */
export interface AccountStatement {
  readonly language: 'en' | 'de';
  readonly form: StatementForm;
  readonly account: string;
  readonly month: number;
  readonly pages: number;
}

const WORDS = {
  en: {
    ...{ bank: 'Fenland Bank plc', address: '2 Market Hill, Ely CB7 4LS', name: 'Current account statement' },
    ...{ account: 'Account number', page: ['Page', 'of'], forward: 'Balance carried forward' },
    ...{ brought: 'Balance brought forward', opening: 'Opening balance', closing: 'Closing balance' },
    heads: ['Date', 'Details', 'Movement', 'Balance'],
    ...{ point: '.', group: ',' },
    ...{
      entries: ['Card payment Quay Bakery', 'Standing order rent', 'Transfer from J Hollis', 'Direct debit'],
    },
  },
  de: {
    ...{ bank: 'Volksbank Mühltal eG', address: 'Marktplatz 3, 64367 Mühltal', name: 'Kontoauszug' },
    ...{ account: 'Kontonummer', page: ['Seite', 'von'], forward: 'Übertrag auf Folgeseite' },
    ...{ brought: 'Übertrag von Vorseite', opening: 'Alter Kontostand', closing: 'Neuer Kontostand' },
    heads: ['Datum', 'Vorgang', 'Umsatz', 'Saldo'],
    ...{ point: ',', group: '.' },
    ...{ entries: ['Kartenzahlung Bäckerei', 'Dauerauftrag Miete', 'Gutschrift E. Lorenz', 'Lastschrift'] },
  },
} as const;
const ROWS = 14;
const FOOT = 58;

/** A statement of several pages as a PDF; the same one for the same values. */
export function makeAccountStatement({ language, form, account, month, pages }: AccountStatement): Buffer {
  const words = WORDS[language];
  const money = (cents: number): string => {
    const [whole = '', parts = ''] = (Math.abs(cents) / 100).toFixed(2).split('.');
    return `${cents < 0 ? '-' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, words.group)}${words.point}${parts}`;
  };
  const row = (day: string, text: string, movement: string, balance: string): string =>
    `${day.padEnd(14)}${text.padEnd(40)}${movement.padStart(12)}${balance.padStart(18)}`;
  const [day, details, movement, saldo] = words.heads;
  const headRow = row(day ?? '', details ?? '', movement ?? '', saldo ?? '');
  let balance = 120_411 + Number(account.slice(-3)) * 7 + month * 1_313;
  const sheets = Array.from({ length: pages }, (_, page) => {
    const lines: string[] = [];
    const isFirst = page === 0;
    if (form !== 'bare' && (isFirst || form !== 'balance')) lines.push(words.bank);
    if (form !== 'bare' && form !== 'beside' && isFirst) lines.push(words.address, '');
    if (form === 'numbered')
      lines.push(`${words.name} ${month}/2026      ${words.page[0]} ${page + 1} ${words.page[1]} ${pages}`);
    if (form === 'account' || (isFirst && (form === 'carried' || form === 'balance')))
      lines.push(`${words.name} ${month}/2026      ${words.account} ${account}`);
    lines.push('');
    if (form !== 'bare' || isFirst) lines.push(headRow);
    if (isFirst && form !== 'bare') lines.push(row('', words.opening, '', money(balance)));
    else if (!isFirst && (form === 'carried' || form === 'beside'))
      lines.push(row('', words.brought, '', money(balance)));
    for (let entry = page * ROWS; entry < (page + 1) * ROWS; entry += 1) {
      const cents = ((entry * 73_913 + month * 971) % 48_000) * (entry % 3 === 2 ? 1 : -1);
      balance += cents;
      const day = `${String(1 + (entry % 28)).padStart(2, '0')}.0${month}.2026`;
      lines.push(
        row(
          day,
          `${words.entries[entry % words.entries.length]} ${4021 + entry}`,
          money(cents),
          money(balance),
        ),
      );
    }
    if (page === pages - 1) lines.push(row('', words.closing, '', money(balance)));
    else if (form === 'carried' || form === 'beside') lines.push(row('', words.forward, '', money(balance)));
    while (lines.length < FOOT) lines.push('');
    if (form === 'beside')
      lines.push(`${words.bank}, ${words.address}${' '.repeat(30)}${page + 1} / ${pages}`);
    return lines.join('\n');
  });
  return officePdf({ text: sheets.join('\f') });
}

const PAPERS: readonly string[] = [
  `Telora Business Ltd
1 Exchange Square, Leeds LS1 4AP

Your telephone bill
Bill number TB-88120-05          Bill date 4 May 2026
Customer number 7731 204

Line rental          42.00
Calls                17.35
VAT at 20%           11.87
Total due          £ 71.22    payable by 18 May 2026
\fBill number TB-88120-05                                  Page 2 of 3
Calls from 0113 496 0182

Date       Time    Number          Duration   Cost
01.04.     09:12   0161 496 0300   00:04:10   0.42
02.04.     10:40   0161 496 0301   00:01:02   0.11
09.04.     17:05   0161 496 0377   00:12:44   1.27
Subtotal                                      1.80
\fBill number TB-88120-05                                  Page 3 of 3
Calls from 0113 496 0183

Date       Time    Number          Duration   Cost
03.04.     08:02   0161 496 0300   01:22:10   14.02
11.04.     11:19   0161 496 0305   00:15:20   1.53
Subtotal                                     15.55`,
  `Stadtwerke Elbtal GmbH
Hafenweg 2, 01069 Dresden

Herrn Paul Winter
Lindenweg 8
01099 Dresden

Ihre Stromrechnung
Rechnungsnummer 2026-771902          Rechnungsdatum 06.05.2026
Verbrauch 01.05.2025 bis 30.04.2026     2.310 kWh

Sehr geehrter Herr Winter,
für Ihren Verbrauch berechnen wir:
Arbeitspreis      646,80 €
Grundpreis        118,40 €
Nettobetrag       765,20 €
USt 19 %          145,39 €
Rechnungsbetrag   910,59 €
Zahlbar bis 22.05.2026
\fErläuterungen zu Ihrer Rechnung

Der Arbeitspreis wird für jede verbrauchte Kilowattstunde berechnet. Er enthält die Kosten der Beschaffung.
Der Grundpreis fällt unabhängig vom Verbrauch an. Die Stromsteuer beträgt 2,05 Cent je Kilowattstunde.
Bei Fragen zu Ihrer Rechnung 2026-771902 erreichen Sie uns unter 0351 496 01.`,
  `Marsh & Cole Solicitors
40 High Street, Louth LN11 9AA

Ms Amara Okafor
4 Wharf Road
Leeds LS6 3QR

11 May 2026

Dear Ms Okafor,
Purchase of 12 Orchard Lane
We have now received the searches and write to report on them. The local search shows no plans for roads
within two hundred metres. The drainage search shows that the public sewer runs below the garden, so that no
extension can be built over it without the consent of the water company. You should therefore ask your
surveyor
\f- 2 -

whether the extension that the seller built in 2014 had this consent. We have asked the seller's solicitors for
a copy and will write again as soon as we have it.
Please sign the enclosed form and send it back to us.

Yours sincerely
Helen Marsh`,
  `Dienstleistungsvertrag

zwischen der Hansen Gebäudereinigung GmbH, Kiel, und der Praxis Dr. Ebert, Kiel

§ 1 Gegenstand
Der Auftragnehmer reinigt die Räume der Praxis an fünf Tagen in der Woche.
§ 2 Vergütung
Die Vergütung beträgt 640,00 € im Monat zuzüglich der gesetzlichen Umsatzsteuer.
\f§ 3 Laufzeit
Der Vertrag beginnt am 01.06.2026 und läuft auf unbestimmte Zeit.
§ 4 Kündigung
Er kann mit einer Frist von drei Monaten zum Ende eines Quartals gekündigt werden.
\f§ 5 Haftung
Der Auftragnehmer haftet für Schäden, die er oder seine Mitarbeiter verursachen.
§ 6 Schlussbestimmungen
Änderungen bedürfen der Schriftform. Gerichtsstand ist Kiel.

Kiel, den 18.05.2026`,
  `Minutes of the annual general meeting of Harbour View Residents Ltd
held on 9 May 2026 at the Quay Hall

Present: A. Carter (chair), B. Patel, C. Price, D. Reed
1. Apologies
Apologies were received from E. Stone.
2. Accounts
The accounts for 2025 were approved.
\f3. Repairs
The roof is to be repaired in July. Three quotations were received.
4. Election of officers
B. Patel was elected treasurer.
5. Any other business
There was none.`,
  `Protokoll der Eigentümerversammlung vom 12.05.2026
WEG Lindenstraße 14, Bonn

TOP 1 Begrüßung
Die Verwalterin eröffnet die Versammlung um 18:00 Uhr.
TOP 2 Jahresabrechnung
Die Jahresabrechnung 2025 wird einstimmig genehmigt.
Seite 1
\fTOP 3 Sanierung des Dachs
Die Versammlung beschließt, drei Angebote einzuholen.
TOP 4 Verschiedenes
Es gibt keine weiteren Punkte.
Seite 2`,
  `Brook Motors Ltd
Unit 7, Mill Lane, Hull HU1 2AB    VAT GB 412 8890 15

INVOICE                          Number BM-3310     Date 7 May 2026
To: Meridian Radio Group

Item   Description               Qty    Price     Amount
1      Brake pads                4      24.00     96.00
2      Oil filter                2      9.50      19.00
3      Labour, hours             5      48.00     240.00
                                 Carried forward  355.00
\fBrook Motors Ltd                 Invoice BM-3310, page 2

                                 Brought forward  355.00
4      Tyres                     4      71.00     284.00
5      Disposal of tyres         4      2.50      10.00
                                 Net total        649.00
                                 VAT 20%          129.80
                                 Total due      £ 778.80`,
  `Krüger Büromöbel OHG
Gutenbergstr. 9, 39106 Magdeburg    USt-IdNr. DE 811 204 733

Rechnung 26-0418                  Datum 08.05.2026
Kunde: Kanzlei Voss

Pos  Artikel                Menge   Preis      Betrag
1    Schreibtisch           3       289,00     867,00
2    Drehstuhl              3       199,00     597,00
     Übertrag                                1.464,00
\f     Übertrag                                1.464,00
3    Rollcontainer          3       119,00     357,00
     Summe netto                             1.821,00
     USt 19 %                                  345,99
     Gesamtbetrag                          € 2.166,99
Zahlbar innerhalb von 14 Tagen ohne Abzug.`,
];

/** Spreads the lines of all pages but the last over the whole page, as a page break comes where a page is full. */
function filled(text: string): string {
  const pages = text.split('\f');
  return pages
    .map((page, index) => {
      const lines = page.split('\n');
      const space = '\n'.repeat(Math.max(1, Math.floor(FOOT / lines.length)));
      return index === pages.length - 1 ? page : lines.join(space);
    })
    .join('\f');
}

/** Papers for stacks: those above, statements in every form, and the papers of one page in both languages. */
export function postPapers(): Buffer[] {
  // A text of the kind "other" is a note of one line.
  const short = KIND_PAPERS.filter(
    ([kind, language]) => kind !== 'other' && (language === 'en' || language === 'de'),
  );
  const statements = (['en', 'de'] as const).flatMap((language) =>
    STATEMENT_FORMS.filter((form) => form !== 'bare').map((form, at) =>
      makeAccountStatement({
        language,
        form,
        account: `33128${841 + at}`,
        month: 3 + at,
        pages: 2 + (at % 3),
      }),
    ),
  );
  return [
    ...PAPERS.map((text) => officePdf({ text: filled(text) })),
    ...statements,
    ...short.map(([, , text]) => officePdf({ text })),
  ];
}
