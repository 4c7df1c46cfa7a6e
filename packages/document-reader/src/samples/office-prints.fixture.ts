/**
 * Bills in the forms of programs, shops and people in eleven countries, with their correct fields. All names,
 * figures and numbers are invented. The position of words in a line is their position on the page.
 */
import { writePdf } from './write-pdf.fixture.ts';

/** A bill's page as lines, with its correct fields by the report's key. */
export interface OfficePrint {
  readonly name: string;
  /** ISO dates, decimal amounts. */
  readonly truth: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Width of a character and height of a line, points. */
const SIGN = 5;
const LINE = 13;

/** The text as a PDF: words with a single space between them are printed together; a form feed begins a page. */
export function officePdf({ text }: Partial<OfficePrint> & { readonly text: string }): Buffer {
  const pages = text.split('\f').map((page) =>
    page.split('\n').flatMap((line, down) =>
      [...line.matchAll(/\S+(?: \S+)*/g)].map(({ index, 0: words }) => ({
        ...{ x: 40 + index * SIGN, y: 800 - down * LINE, size: 8, text: words },
      })),
    ),
  );
  return writePdf(pages);
}

/** The bills. */
export const OFFICE_PRINTS: readonly OfficePrint[] = [
  {
    name: 'stripe',
    truth: {
      document_number: '7B2C4F1A-0007',
      issue_date: '2024-03-01',
      due_date: '2024-03-01',
      total: '24.00',
      net_total: '20.00',
      tax_total: '4.00',
      currency: 'USD',
      supplier: 'Cloudberry Labs, Inc.',
    },
    text: `Invoice
Invoice number    7B2C4F1A-0007
Date of issue     March 1, 2024
Date due          March 1, 2024

Cloudberry Labs, Inc.                    Bill to
548 Market St                            Eleanor Whitcombe
PMB 14273                                14 Quay Street
San Francisco, California 94104          Bristol BS1 4XE
United States                            United Kingdom
support@cloudberry.example               eleanor@whitcombe.example

$24.00 USD due March 1, 2024

Pay online

Description                      Qty      Unit price      Tax      Amount
Team plan                        2        $10.00          20%      $20.00
Mar 1 – Apr 1, 2024

                                 Subtotal                          $20.00
                                 Total excluding tax               $20.00
                                 VAT - United Kingdom (20% on $20.00)   $4.00
                                 Total                             $24.00
                                 Amount due                        $24.00 USD

7B2C4F1A-0007 · $24.00 USD due March 1, 2024                  Page 1 of 1`,
  },
  {
    name: 'amazon-de',
    truth: {
      document_number: 'DE31VTQ8AEUI',
      issue_date: '2023-11-24',
      total: '59.49',
      net_total: '49.99',
      tax_total: '9.50',
      currency: 'EUR',
      supplier: 'Lagerhaus Europa S.à r.l.',
    },
    text: `Rechnung                                             Bezahlt
                                            Zahlungsreferenznummer  5RTG7Y8H9J
                                            Verkauft von Lagerhaus Europa S.à r.l.
                                            USt-IDNr. DE814584193

                                            Rechnungsdatum/Lieferdatum  24 November 2023
                                            Rechnungsnummer             DE31VTQ8AEUI
                                            Zahlbetrag                  59,49 €
Eleanor Whitcombe
Lindenallee 145
Leipzig, 04109
DE
                         Für Fragen zu Ihrer Bestellung besuchen Sie www.lagerhaus.example/kontakt

Rechnungsadresse         Lieferadresse            Verkauft von
Eleanor Whitcombe        Eleanor Whitcombe        Lagerhaus Europa S.à r.l.
Lindenallee 145          Lindenallee 145          38, avenue John F. Kennedy
Leipzig, 04109           Leipzig, 04109           L-1855 Luxemburg
DE                       DE                       USt-IDNr. DE814584193

Bestellinformationen
Bestelldatum             22 November 2023
Bestellnummer            302-4455667-7788990

Rechnungsdetails
Beschreibung                   Menge   Stückpreis     USt. %   Stückpreis     Zwischensumme
                                       (ohne USt.)             (inkl. USt.)   (inkl. USt.)
Funkmaus, schwarz              1       49,99 €        19%      59,49 €        59,49 €
ASIN: B08N5WRWNW
Versandkosten                          0,00 €                  0,00 €         0,00 €

                                               Gesamtpreis                    59,49 €
                                               USt. %   Zwischensumme   USt.
                                                        (ohne USt.)
                                               19%      49,99 €         9,50 €
                                               Gesamt   49,99 €         9,50 €`,
  },
  {
    name: 'telekom',
    truth: {
      document_number: '71 2345 6789 0123',
      issue_date: '2022-07-04',
      total: '47.60',
      net_total: '40.00',
      tax_total: '7.60',
      currency: 'EUR',
      supplier: 'Nordnetz Telefon GmbH',
    },
    text: `Nordnetz Telefon GmbH, Postfach 10 20 30, 28195 Bremen

Frau                                             Datum               04.07.2022
Eleanor Whitcombe                                Seite               1 von 2
Am Markt 3                                       Kundennummer        4711 882 901
50667 Köln                                       Rechnungsnummer     71 2345 6789 0123
                                                 Buchungskonto       4512345678

Ihre Rechnung für Juli 2022

Guten Tag Frau Whitcombe,
heute erhalten Sie Ihre Rechnung. Der zu zahlende Betrag setzt sich so zusammen:

Leistung                                                  Betrag (Euro)
Monatliche Beträge                                        40,00
Summe der Beträge (Netto)                                 40,00
Umsatzsteuer 19 % auf 40,00                               7,60
Rechnungsbetrag                                           47,60

Der Rechnungsbetrag wird nicht vor dem siebten Tag nach Zugang der Rechnung von Ihrem Konto abgebucht.
Nordnetz Telefon GmbH  Sitz Bremen  Amtsgericht Bremen HRB 14190  USt-IdNr. DE812706034`,
  },
  {
    name: 'handwerker',
    truth: {
      document_number: '2024-0187',
      issue_date: '2024-09-12',
      due_date: '2024-09-26',
      total: '1106.70',
      net_total: '930.00',
      tax_total: '176.70',
      currency: 'EUR',
      supplier: 'Malerbetrieb Jens Odenthal',
    },
    text: `Malerbetrieb Jens Odenthal
Meisterbetrieb seit 1987

Malerbetrieb Jens Odenthal · Hafenstraße 12 · 28195 Bremen
Familie
Sabine Kurz                                        Rechnungs-Nr.: 2024-0187
Lindenallee 145                                    Kunden-Nr.: 10442
28203 Bremen                                       Datum: 12.09.2024
                                                   Leistungszeitraum: 02.09. - 06.09.2024
Rechnung Nr. 2024-0187
Bauvorhaben: Wohnzimmer und Flur

Pos.  Bezeichnung                        Menge   Einheit   EP        GP
1     Wände spachteln und schleifen      42,00   m²        12,50     525,00
2     Anstrich Dispersion, 2x            42,00   m²        9,00      378,00
3     Abdeckarbeiten pauschal            1,00    psch      27,00     27,00

                                         Nettobetrag                 930,00 €
                                         zzgl. 19 % MwSt.            176,70 €
                                         Rechnungsbetrag           1.106,70 €

Im Bruttobetrag sind Lohnkosten von 714,00 € enthalten (§ 35a EStG).
Bitte überweisen Sie den Betrag bis zum 26.09.2024 ohne Abzug auf unten genanntes Konto.

Malerbetrieb Jens Odenthal   Sparkasse Bremen   IBAN DE89 3704 0044 0532 0130 00   Steuer-Nr. 60/123/45678`,
  },
  {
    name: 'ovh',
    truth: {
      document_number: 'FR41234567',
      issue_date: '2021-02-05',
      total: '14.39',
      net_total: '11.99',
      tax_total: '2.40',
      currency: 'EUR',
      supplier: 'Hébergeurs Réunis SAS',
    },
    text: `                                                        Facture n° FR41234567
                                                        Date d'émission : 05/02/2021
                                                        Commande n° 129884412
Hébergeurs Réunis SAS
2 rue Kellermann                                        Eleanor Whitcombe
59100 Roubaix                                           12 rue des Halles
France                                                  69002 LYON

Abonnement                                   Quantité   Prix unitaire   Prix HT
Hébergement perso - 12 mois                  1          11,99 €         11,99 €

                                             Total de votre commande HT  11,99 €
                                             TVA (20%)                    2,40 €
                                             Total TTC                   14,39 €
Paiement
Carte bancaire                               payée le 05/02/2021
Hébergeurs Réunis SAS au capital de 10 174 560 € RCS Lille Métropole 424 761 419 N° TVA : FR22424761419`,
  },
  {
    name: 'artisan-fr',
    truth: {
      document_number: 'F2023-118',
      issue_date: '2023-06-15',
      due_date: '2023-07-15',
      total: '1320.00',
      net_total: '1200.00',
      tax_total: '120.00',
      currency: 'EUR',
      supplier: 'Menuiserie Garance',
    },
    text: `Menuiserie Garance                                     FACTURE
3 place du Marché
44000 Nantes                                           Numéro : F2023-118
Tél. 02 40 12 34 56                                    Date : 15 juin 2023
contact@menuiserie-garance.example                     Échéance : 15 juillet 2023
SIRET 802 954 785 00028
                                                       Client :
                                                       M. Paul Servan
                                                       145 avenue Foch
                                                       44100 Nantes
Désignation                          Qté      P.U. HT       Total HT
Fourniture et pose d'une porte       1        1 200,00 €    1 200,00 €

                                              Total HT      1 200,00 €
                                              TVA 10 %        120,00 €
                                              Total TTC     1 320,00 €
                                              Net à payer   1 320,00 €
En cas de retard de paiement, une indemnité forfaitaire de 40 € est due.`,
  },
  {
    name: 'coolblue',
    truth: {
      document_number: '1023445566',
      issue_date: '2024-01-09',
      total: '389.00',
      net_total: '321.49',
      tax_total: '67.51',
      currency: 'EUR',
      supplier: 'Koelhuis B.V.',
    },
    text: `Koelhuis                                             Factuur
Koelhuis B.V.
Weena 664                                            Factuurnummer        1023445566
3012 CN Rotterdam                                    Factuurdatum         09-01-2024
KvK 24330087                                         Ordernummer          77889900
BTW NL810433941B01                                   Klantnummer          4455667

Factuuradres                                         Afleveradres
E. Whitcombe                                         E. Whitcombe
Keizersgracht 112                                    Keizersgracht 112
1015 CW Amsterdam                                    1015 CW Amsterdam

Artikel                         Aantal    BTW     Prijs        Totaal
Wasmachine 8 kg                 1         21%     € 389,00     € 389,00
Bezorging                       1         21%     € 0,00       € 0,00

                                          Totaal excl. btw     € 321,49
                                          21% btw              € 67,51
                                          Totaal incl. btw     € 389,00
                                          Reeds betaald        € 389,00
                                          Openstaand           € 0,00`,
  },
  {
    name: 'autonomo',
    truth: {
      document_number: '2024/032',
      issue_date: '2024-05-31',
      total: '1060.00',
      net_total: '1000.00',
      tax_total: '210.00',
      currency: 'EUR',
      supplier: 'Marta Ortega Ruiz',
    },
    text: `Marta Ortega Ruiz                                    FACTURA
Diseño gráfico
NIF 12345678Z                                        Nº factura: 2024/032
C/ Mayor 14, 3º B                                    Fecha: 31/05/2024
28013 Madrid

Cliente: Azahar Frutas S.L.
CIF: B58818501
Avda. de la Paz, 7
46002 Valencia

Concepto                                             Importe
Diseño de catálogo de primavera                      1.000,00 €

Base imponible                                       1.000,00 €
IVA 21%                                              210,00 €
IRPF -15%                                            -150,00 €
TOTAL A PAGAR                                        1.060,00 €

Forma de pago: transferencia IBAN ES91 2100 0418 4502 0005 1332`,
  },
  {
    name: 'professionista',
    truth: {
      document_number: '14/2023',
      issue_date: '2023-03-20',
      total: '1220.00',
      net_total: '1000.00',
      tax_total: '220.00',
      currency: 'EUR',
      supplier: 'Studio Tecnico Colombo',
    },
    text: `Studio Tecnico Colombo
Ing. Paolo Colombo
Via Roma 14 - 20121 Milano (MI)
P.IVA 00743110157 - C.F. CLMPLA70A01F205X

                                                  Spett.le
                                                  Aurora Supermercati S.p.A.
                                                  Viale Europa 121
                                                  40121 Bologna (BO)

Fattura n. 14/2023 del 20/03/2023

Descrizione                              Q.tà     Prezzo       Importo
Progettazione impianto elettrico         1        1.000,00     1.000,00

                                         Imponibile            1.000,00 €
                                         IVA 22%                 220,00 €
                                         Totale fattura        1.220,00 €
                                         Ritenuta d'acconto 20% -200,00 €
                                         Netto a pagare        1.020,00 €
Pagamento: bonifico bancario 30 gg data fattura`,
  },
  {
    name: 'uk-utility',
    truth: {
      document_number: '88412033',
      issue_date: '2022-10-14',
      total: '186.42',
      net_total: '177.54',
      tax_total: '8.88',
      currency: 'GBP',
      supplier: 'Westmoor Energy Ltd',
      due_date: '2022-10-28',
    },
    text: `Westmoor Energy
Mrs Eleanor Whitcombe                                  Your account number
14 Quay Street                                         A-4471 8820
Bristol
BS1 4XE                                                Bill date: 14 October 2022
                                                       Bill number: 88412033
Your electricity bill                                  Billing period: 12 Jul 2022 - 11 Oct 2022

How much you need to pay                               £186.42
Please pay by 28 October 2022

Previous balance                                       £152.10
Payment received 3 Aug 2022, thank you                 -£152.10
Electricity used 512 kWh at 32.4p                      £165.89
Standing charge 91 days at 12.8p                       £11.65
Total charges before VAT                               £177.54
VAT at 5%                                              £8.88
Total to pay                                           £186.42

Westmoor Energy Ltd. Registered in England and Wales No. 03782443. VAT No. 937 4502 11`,
  },
  {
    name: 'xero',
    truth: {
      document_number: 'INV-0412',
      issue_date: '2023-08-15',
      due_date: '2023-09-14',
      total: '3480.00',
      net_total: '2900.00',
      tax_total: '580.00',
      currency: 'GBP',
      supplier: 'Finch & Moss Architects Ltd',
    },
    text: `TAX INVOICE
                                        Invoice Date             Finch & Moss Architects Ltd
Bramble Foods Ltd                       15 Aug 2023              221 High Road
Attention: Accounts Payable             Invoice Number           LEEDS
8-10 Church Row                         INV-0412                 LS2 8AB
NORWICH                                 Reference                UNITED KINGDOM
NR1 3QP                                 PO 7781
UNITED KINGDOM                          VAT Number
                                        GB 937 4502 11

Description                          Quantity      Unit Price      VAT      Amount GBP
Concept design, stage 2              1.00          2,400.00        20%      2,400.00
Site visit                           2.00          250.00          20%      500.00
                                                                   Subtotal          2,900.00
                                                                   TOTAL VAT  20%    580.00
                                                                   TOTAL GBP         3,480.00

Due Date: 14 Sep 2023
Please quote the invoice number with your payment. Sort code 20-00-00 Account 44718820`,
  },
  {
    name: 'quickbooks',
    truth: {
      document_number: '1038',
      issue_date: '2024-02-28',
      due_date: '2024-03-29',
      total: '918.60',
      net_total: '850.00',
      tax_total: '68.60',
      currency: 'USD',
      supplier: 'Ruby Lane Landscaping',
    },
    text: `Ruby Lane Landscaping
77 W Lake St
Chicago, IL 60601
(312) 555-0142
hello@rubylane.example

INVOICE
BILL TO                        SHIP TO                      INVOICE      1038
Pine Street Coffee Roasters    Pine Street Coffee Roasters  DATE         02/28/2024
3901 Pine Street               3901 Pine Street             TERMS        Net 30
Austin, TX 78701               Austin, TX 78701             DUE DATE     03/29/2024

DATE          ACTIVITY                 QTY      RATE       AMOUNT
02/12/2024    Spring clean-up          1        450.00     450.00T
02/20/2024    Mulch, per yard          8        50.00      400.00T

Thank you for your business!           SUBTOTAL            850.00
                                       TAX (8.07%)         68.60
                                       TOTAL               918.60
                                       BALANCE DUE         $918.60`,
  },
  {
    name: 'aws',
    truth: {
      document_number: '1044551337',
      issue_date: '2023-05-02',
      due_date: '2023-05-02',
      total: '43.81',
      net_total: '36.51',
      tax_total: '7.30',
      currency: 'USD',
      supplier: 'Skyline Web Services EMEA SARL',
    },
    text: `Skyline Web Services EMEA SARL                        VAT Invoice
                                                      Invoice Number: 1044551337
                                                      Invoice Date: May 2, 2023
Account number:
449955667788
Bill to Address:                                      TOTAL AMOUNT DUE ON May 2, 2023   $43.81
Harlow Ltd
ATTN: E. Whitcombe
14 Quay Street
Bristol, BS1 4XE, GB

This invoice is for the billing period April 1 - April 30, 2023

Summary
SWS Service Charges                                                    $36.51
Charges                                                                $36.51
Credits                                                                $0.00
Net Charges (excl. VAT)                                                $36.51
VAT - 20%                                                              $7.30
Total Amount (USD)                                                     $43.81`,
  },
  {
    name: 'hotel',
    truth: {
      document_number: '48812',
      issue_date: '2022-06-18',
      total: '268.00',
      net_total: '250.47',
      tax_total: '17.53',
      currency: 'EUR',
      supplier: 'Hotel am Dom Betriebs GmbH',
    },
    text: `HOTEL AM DOM
Hotel am Dom Betriebs GmbH · Domplatz 4 · 50667 Köln

Harlow Ltd
Eleanor Whitcombe
14 Quay Street
GB-Bristol BS1 4XE

Rechnung                                              Rechnungsnummer: 48812
Zimmer: 214                                           Anreise: 16.06.2022
Gast: Whitcombe, Eleanor                              Abreise: 18.06.2022
                                                      Datum: 18.06.2022

Datum        Leistung                            Betrag EUR
16.06.2022   Übernachtung                        134,00
17.06.2022   Übernachtung                        134,00
             Gesamtbetrag                        268,00
             MasterCard                          -268,00
             Offener Betrag                      0,00
MwSt.        Netto            MwSt.              Brutto
7,00 %       250,47           17,53              268,00
Wir danken für Ihren Besuch.`,
  },
  {
    name: 'freelance-en',
    truth: {
      document_number: '2025-07',
      issue_date: '2025-07-01',
      total: '4200.00',
      currency: 'EUR',
      supplier: 'Anna Lindqvist',
      due_date: '2025-07-31',
    },
    text: `Anna Lindqvist
Software consulting
Storgatan 12, 111 22 Stockholm, Sweden
VAT: SE556677889901

INVOICE #2025-07

To:                              Issued: 1 July 2025
Harlow GmbH                      Due: 31 July 2025
Lindenallee 145
04109 Leipzig, Germany
VAT: DE812706034

60 hours of development @ €70.00                    €4,200.00

                                 Total              €4,200.00
Reverse charge: VAT to be accounted for by the recipient.
IBAN SE45 5000 0000 0583 9825 7466 · BIC ESSESESS`,
  },
  {
    name: 'ie-telecom',
    truth: {
      document_number: '30021877',
      issue_date: '2021-09-01',
      due_date: '2021-09-15',
      total: '61.49',
      net_total: '49.99',
      tax_total: '11.50',
      currency: 'EUR',
      supplier: 'Liffey Broadband Limited',
    },
    text: `Liffey Broadband Limited
                                  Bill Summary
Ms E. Whitcombe                   Account Number      8844120
4 Quay Street                     Invoice Number      30021877
Dublin 2                          Date of Issue       01/09/21
D02 XY45                          Payment Due         15/09/21

Balance brought forward                                      €61.49
Payments received up to 28/08/21                             €61.49 CR
This month's charges
Broadband 500 from 01/09/21 to 30/09/21                      €49.99
VAT @ 23%                                                    €11.50
Total due for this bill                                      €61.49

Liffey Broadband Limited, Registered in Ireland No. 441122. VAT Reg No. IE 9825613N`,
  },
  {
    name: 'kleinunternehmer',
    truth: {
      document_number: '2023-17',
      issue_date: '2023-04-03',
      due_date: '2023-04-17',
      total: '480.00',
      currency: 'EUR',
      supplier: 'Lena Brandt Fotografie',
    },
    text: `Lena Brandt Fotografie
Am Markt 3 · 50667 Köln · Tel. 0221 4960182 · lena@brandt-foto.example

Lena Brandt · Am Markt 3 · 50667 Köln
Harlow GmbH
Lindenallee 145
04109 Leipzig                                         Köln, 3. April 2023

Rechnung
Rechnungsnummer: 2023-17
Leistungsdatum: 28.03.2023

Sehr geehrte Damen und Herren,
für meine Leistungen erlaube ich mir zu berechnen:

Portraits Geschäftsführung, halber Tag                      420,00 €
Bildbearbeitung 6 Aufnahmen                                  60,00 €
                                         Gesamtsumme        480,00 €

Gemäß § 19 UStG wird keine Umsatzsteuer berechnet.
Zahlbar bis 17.04.2023 ohne Abzug. IBAN DE89 3704 0044 0532 0130 00`,
  },
  {
    name: 'swiss-qr',
    truth: {
      document_number: 'R-10482',
      issue_date: '2024-06-10',
      due_date: '2024-07-10',
      total: '1297.20',
      net_total: '1200.00',
      tax_total: '97.20',
      currency: 'CHF',
      supplier: 'Elektro Seefeld AG',
    },
    text: `Elektro Seefeld AG
Seestrasse 41
8008 Zürich
CHE-114.872.336 MWST
                                                   Frau Regula Rüegg
                                                   Dorfplatz 2
                                                   6003 Luzern
Zürich, 10.06.2024
Rechnung R-10482
Kunden-Nr. 4417      Sachbearbeiter: M. Keller     Zahlbar bis: 10.07.2024

Pos  Bezeichnung                     Anzahl    Preis      Betrag CHF
1    Installation Steckdosen         8         150.00     1'200.00

     Total exkl. MWST                                     1'200.00
     MWST 8.1%                                               97.20
     Total inkl. MWST                                     1'297.20

Empfangsschein                     Zahlteil
Konto / Zahlbar an                 Konto / Zahlbar an
CH44 3199 9123 0008 8901 2         CH44 3199 9123 0008 8901 2
Elektro Seefeld AG                 Elektro Seefeld AG
Währung  Betrag                    Währung  Betrag
CHF      1 297.20                  CHF      1 297.20`,
  },
  {
    name: 'auto-entrepreneur',
    truth: {
      document_number: '2024-0009',
      issue_date: '2024-02-12',
      due_date: '2024-03-13',
      total: '650.00',
      currency: 'EUR',
      supplier: 'Claire Aubépine',
    },
    text: `Claire Aubépine EI
Traductrice
145 avenue Foch, 33000 Bordeaux
SIRET : 802 954 785 00028

                                             À l'attention de :
                                             Garance et Fils SARL
                                             3 place du Marché
                                             35000 Rennes
Facture N° 2024-0009
Date de facturation : 12/02/2024
Date limite de paiement : 13/03/2024

Description                     Quantité     Prix unitaire     Total
Traduction anglais-français     6 500 mots   0,10 €            650,00 €

                                             TOTAL             650,00 €
TVA non applicable, art. 293 B du CGI`,
  },
  {
    name: 'it-table',
    truth: {
      document_number: '1187/A',
      issue_date: '2024-11-05',
      due_date: '2024-12-05',
      total: '298.90',
      net_total: '245.00',
      tax_total: '53.90',
      currency: 'EUR',
      supplier: 'Ferramenta Colombo S.r.l.',
    },
    text: `Ferramenta Colombo S.r.l.                          Destinatario
Corso Garibaldi, 77                                Trattoria Da Piera snc
40121 Bologna (BO)                                 Via Roma 14
P.IVA 00743110157                                  20121 Milano (MI)
Cap. Soc. € 10.000 i.v.                            P.IVA 04916380159

Tipo documento     Numero     Data documento     Pagamento      Scadenza
Fattura            1187/A     05/11/2024         Bonifico       05/12/2024

Codice    Descrizione              UM    Q.tà    Prezzo    Sc.%    Importo    IVA
V440      Viti 4x40 conf. 200      CF    10      12,50             125,00     22
M120      Mensola rovere           PZ    4       30,00             120,00     22

Imponibile      Aliquota      Imposta      Totale documento
245,00          22%           53,90        € 298,90`,
  },
  {
    name: 'zzp',
    truth: {
      document_number: '2023042',
      issue_date: '2023-10-30',
      due_date: '2023-11-29',
      total: '907.50',
      net_total: '750.00',
      tax_total: '157.50',
      currency: 'EUR',
      supplier: 'Sanne Vermeer Tekst',
    },
    text: `Sanne Vermeer Tekst
Dorpsstraat 4
2311 EG Leiden
KvK-nummer 61234567
Btw-id NL001234567B12

Aan: Koelhuis B.V.
Weena 664
3012 CN Rotterdam

FACTUUR 2023042
Factuurdatum: 30-10-2023
Vervaldatum: 29-11-2023

Omschrijving                  Uren      Tarief      Bedrag
Webteksten oktober            10        € 75,00     € 750,00

Subtotaal                                           € 750,00
BTW 21%                                             € 157,50
Totaal                                              € 907,50

Gelieve het bedrag binnen 30 dagen over te maken op NL91 ABNA 0417 1643 00.`,
  },
  {
    name: 'be-bilingual',
    truth: {
      document_number: 'VF24/00871',
      issue_date: '2024-03-22',
      due_date: '2024-04-21',
      total: '242.00',
      net_total: '200.00',
      tax_total: '42.00',
      currency: 'EUR',
      supplier: 'Drukkerij Peeters NV',
    },
    text: `Drukkerij Peeters NV                             FACTUUR / FACTURE
Stationsstraat 18
2800 Mechelen                                    Nr. / N°: VF24/00871
BTW BE 0417.710.407                              Datum / Date: 22/03/2024
                                                 Vervaldag / Échéance: 21/04/2024
Klant / Client
Librairie Aubépine SPRL
Rue Neuve 12
1000 Brussel

Omschrijving / Description          Aantal / Qté    Prijs / Prix    Bedrag / Montant
Visitekaartjes 500 st.              2               100,00          200,00

Totaal excl. BTW / Total HTVA                                       200,00
BTW / TVA 21%                                                        42,00
Te betalen / À payer                                            EUR 242,00`,
  },
  {
    name: 'google',
    truth: {
      document_number: '4471882033',
      issue_date: '2023-12-31',
      total: '69.00',
      net_total: '57.50',
      tax_total: '11.50',
      currency: 'GBP',
      supplier: 'Cloudberry Ireland Limited',
    },
    text: `                                                        VAT Invoice
                                                        Invoice number: 4471882033
Cloudberry Ireland Limited
Barrow Street
Dublin 4
Ireland
VAT number: IE 9825613N

Bill to
Eleanor Whitcombe                                 Details
Harlow Ltd                                        ............................
14 Quay Street                                    Invoice number ..... 4471882033
Bristol BS1 4XE                                   Invoice date ....... 31 Dec 2023
United Kingdom                                    Billing ID ......... 0089-4471-8820
                                                  Domain name ........ harlow.example

Cloudberry Workspace
Total in GBP                                                       £69.00
Summary for 1 Dec 2023 - 31 Dec 2023
Subtotal in GBP                                                    £57.50
VAT (20%)                                                          £11.50
Total in GBP                                                       £69.00
You will be automatically charged for any amount due.`,
  },
  {
    name: 'es-telefono',
    truth: {
      document_number: 'TA4Y70011822',
      issue_date: '2024-09-18',
      total: '54.45',
      net_total: '45.00',
      tax_total: '9.45',
      currency: 'EUR',
      supplier: 'Telecos del Sur, S.A.U.',
    },
    text: `Telecos del Sur, S.A.U.
CIF A-82018474  Gran Vía 28, 28013 Madrid

DATOS DE LA FACTURA                             Dª. MARTA ORTEGA RUIZ
Número de factura:  TA4Y70011822                C/ COLON 27
Fecha de emisión:   18 de septiembre de 2024    46004 VALENCIA
Periodo:            18 ago. a 17 sep. 2024
NIF:                12345678Z

RESUMEN DE FACTURA
Cuotas                                                    45,0000
Base imponible                                            45,00 €
IVA (21%)                                                  9,45 €
Total a pagar                                             54,45 €

Esta factura se cargará en su cuenta ES91 2100 0418 **** **** 1332 a partir del 25 de septiembre.`,
  },
  {
    name: 'strom',
    truth: {
      document_number: '100 4471 8820',
      issue_date: '2023-01-20',
      due_date: '2023-02-06',
      total: '1190.00',
      net_total: '1000.00',
      tax_total: '190.00',
      currency: 'EUR',
      supplier: 'Stadtwerke Oberthal GmbH',
    },
    text: `Stadtwerke Oberthal GmbH                       Vertragskonto      2000 4471
Postfach 1120                                  Rechnungsnummer    100 4471 8820
66649 Oberthal                                 Datum              20.01.2023

Herrn
Jens Odenthal
Hafenstraße 12
28195 Bremen

Ihre Jahresrechnung Strom
Abrechnungszeitraum 01.01.2022 bis 31.12.2022

Verbrauch 3.125 kWh                                     1.000,00 EUR
Umsatzsteuer 19 %                                         190,00 EUR
Gesamtbetrag (brutto)                                   1.190,00 EUR
abzüglich gezahlter Abschläge                          -1.080,00 EUR
Nachzahlung                                               110,00 EUR

Den Betrag von 110,00 EUR buchen wir am 06.02.2023 von Ihrem Konto ab.`,
  },
  {
    name: 'us-contractor',
    truth: {
      document_number: 'INV-2024-031',
      issue_date: '2024-05-06',
      due_date: '2024-06-05',
      total: '3150.00',
      currency: 'USD',
      supplier: 'Acorn Consulting LLC',
    },
    text: `ACORN CONSULTING LLC                                          INVOICE
500 Market Blvd Ste 12
Boise, ID 83702
EIN 84-4471882

Bill To:                              Invoice #:      INV-2024-031
MegaValue Stores LLC                  Invoice Date:   05/06/2024
Accounts Payable                      Due Date:       06/05/2024
1420 Congress Ave                     P.O. #:         88120
Austin, TX 78701

Date         Description                     Hours     Rate       Amount
04/08/2024   Inventory review                12        $150.00    $1,800.00
04/15/2024   Training                        9         $150.00    $1,350.00

                                             Total Hours  21
                                             Balance Due          $3,150.00

Make all checks payable to Acorn Consulting LLC`,
  },
  {
    name: 'uk-builder',
    truth: {
      document_number: '0231',
      issue_date: '2022-03-11',
      due_date: '2022-03-25',
      total: '2880.00',
      net_total: '2400.00',
      tax_total: '480.00',
      currency: 'GBP',
      supplier: 'M. J. Moss & Sons Builders',
    },
    text: `M. J. Moss & Sons Builders
Unit 4, Mill Lane, Norwich NR1 3QP   Tel 01603 496018   VAT Reg No 937 4502 11

Invoice No 0231                                       11th March 2022

To: Mrs E. Whitcombe
    14 Quay Street
    Bristol BS1 4XE

To supply labour and materials for
rear garden wall as per quotation                       £2,400.00

                                       VAT @ 20%          £480.00
                                       TOTAL            £2,880.00

Payment within 14 days please. Sort code 20-00-00 A/c 44718820`,
  },
  {
    name: 'uber',
    truth: {
      issue_date: '2023-07-02',
      document_number: 'GBUBR-0447-18',
      total: '18.96',
      net_total: '15.80',
      tax_total: '3.16',
      currency: 'GBP',
      supplier: 'Swift Rides London Ltd',
    },
    text: `Invoice issued by Swift Rides London Ltd
on behalf of driver A. Rahman

Swift Rides London Ltd                       Invoice number: GBUBR-0447-18
Aldgate Tower, 2 Leman Street                Invoice date: 2 July 2023
London E1 8FA                                Tax point date: 2 July 2023
VAT No. GB 937 4502 11

Eleanor Whitcombe
Bristol

Description                        Qty    VAT     Net amount
Transportation service fare        1      20%     £15.80

Total net amount                                  £15.80
Total VAT 20%                                     £3.16
Total amount payable                              £18.96`,
  },
  {
    name: 'arzt',
    truth: {
      document_number: '88-20417',
      issue_date: '2024-08-27',
      due_date: '2024-09-26',
      total: '134.06',
      currency: 'EUR',
      supplier: 'Dr. med. Anna Weber',
    },
    text: `Dr. med. Anna Weber
Fachärztin für Allgemeinmedizin
Bahnhofstr. 7-9, 80331 München
Tel. 089 4960182

Herrn
Jens Odenthal
Hafenstraße 12
28195 Bremen

Rechnungs-Nr.: 88-20417                     Rechnungsdatum: 27.08.2024
Patient: Jens Odenthal, geb. 04.05.1971     Diagnose: Check-up

Datum       GOÄ-Nr.   Leistung              Faktor    Betrag
12.08.2024  1         Beratung              2,3       10,72
12.08.2024  5         Untersuchung          2,3       10,72
14.08.2024  3         Beratung eingehend    3,5       112,62

                      Rechnungsbetrag                 134,06 €
Bitte überweisen Sie den Betrag bis zum 26.09.2024.
IBAN DE89 3704 0044 0532 0130 00`,
  },
  {
    name: 'es-taller',
    truth: {
      document_number: 'A-2207',
      issue_date: '2023-02-14',
      total: '338.80',
      net_total: '280.00',
      tax_total: '58.80',
      currency: 'EUR',
      supplier: 'Talleres Luna, S.L.',
    },
    text: `TALLERES LUNA, S.L.                              FACTURA
Calle Real 221                                   Serie/Número      Fecha
41001 Sevilla                                    A-2207            14-02-2023
B-41004478

Cliente  Paula Cervantes                         Matrícula  4471 KLM
         Plaza España 3                          Km         88.204
         28013 Madrid

Cant.   Concepto                        Precio     Dto.     Importe
4       Neumático 205/55 R16            60,00               240,00
1       Equilibrado y montaje           40,00               40,00

Suma        Base Imp.     % IVA     Cuota IVA     TOTAL FACTURA
280,00      280,00        21,00     58,80         338,80 €
Forma de pago: contado`,
  },
  {
    name: 'amazon-uk',
    truth: {
      document_number: 'GB-4471882-2023-118',
      issue_date: '2023-09-08',
      total: '23.98',
      net_total: '19.98',
      tax_total: '4.00',
      currency: 'GBP',
      supplier: 'Brightware Trading Ltd',
    },
    text: `Invoice                                                  Paid
                                        Sold by Brightware Trading Ltd
                                        VAT # GB937450211
Eleanor Whitcombe
14 Quay Street                          Invoice date / Delivery date   08 September 2023
Bristol, BS1 4XE                        Invoice #                      GB-4471882-2023-118
GB                                      Total payable                  £23.98

Billing address            Delivery address           Sold by
Eleanor Whitcombe          Eleanor Whitcombe          Brightware Trading Ltd
14 Quay Street             14 Quay Street             Unit 9, Trade Park
Bristol, BS1 4XE           Bristol, BS1 4XE           Leeds, LS2 8AB
GB                         GB                         GB

Order information
Order date                 06 September 2023
Order #                    204-1188447-9900112

Description                     Qty    Unit price     VAT rate    Unit price    Item subtotal
                                       (excl. VAT)                (incl. VAT)   (incl. VAT)
LED bulb, pack of 4             2      £9.99          20%         £11.99        £23.98
                                                   Invoice total                £23.98
                                       VAT rate    Item subtotal    VAT subtotal
                                       20%         £19.98           £4.00
                                       Total       £19.98           £4.00`,
  },
  {
    name: 'edf',
    truth: {
      document_number: '10 154 887 412',
      issue_date: '2023-11-14',
      due_date: '2023-11-29',
      total: '128.40',
      currency: 'EUR',
      supplier: 'Électricité Rhodanienne SA',
    },
    text: `Électricité Rhodanienne SA                         Facture du 14/11/2023
                                                   n° 10 154 887 412
Vos références
N° client : 4 471 882 001                          M. PAUL SERVAN
N° de compte : 5 018 447 220                       12 RUE DES HALLES
                                                   69002 LYON
Montant à payer avant le 29/11/2023 :              128,40 € TTC

Électricité (relevé)                               82,10 €
Abonnement                                         24,90 €
Total hors TVA                                     107,00 €
TVA à 20,00 %                                      21,40 €
Total TTC                                          128,40 €
Prochaine facture vers le 14/01/2024`,
  },
  {
    name: 'credit-note',
    truth: {
      document_number: 'CN-00118',
      issue_date: '2024-04-15',
      total: '240.00',
      net_total: '200.00',
      tax_total: '40.00',
      currency: 'GBP',
      supplier: 'Finch & Moss Architects Ltd',
    },
    text: `Finch & Moss Architects Ltd                        CREDIT NOTE
221 High Road, Leeds LS2 8AB
                                                   Credit Note No.   CN-00118
Credit to:                                         Date              15/04/2024
Bramble Foods Ltd                                  Original invoice  INV-0412
8-10 Church Row
Norwich NR1 3QP

Description                                        Amount
Site visit not taken place                         200.00

Net                                                £200.00
VAT 20%                                            £40.00
Total credit                                       £240.00`,
  },
  {
    name: 'enel',
    truth: {
      document_number: '3344 7188 2001',
      issue_date: '2024-03-06',
      due_date: '2024-03-26',
      total: '84.15',
      currency: 'EUR',
      supplier: 'Luce Padana S.p.A.',
    },
    text: `Luce Padana S.p.A.                                    BOLLETTA - FATTURA
Sede legale Viale Europa 121, 40121 Bologna           Numero fattura elettronica: 3344 7188 2001
P.IVA 04916380159                                     Emessa il 06/03/2024
                                                      Periodo: 01/01/2024 - 29/02/2024
Intestatario: MARIO COLOMBO
VIA ROMA 14
20121 MILANO MI

QUANTO DEVO PAGARE                                    84,15 €
ENTRO QUANDO                                          Scade il 26/03/2024

Spesa per la materia energia                          46,20 €
Spesa per il trasporto                                18,11 €
Oneri di sistema                                      6,19 €
Imposte e IVA                                         13,65 €
TOTALE BOLLETTA                                       84,15 €`,
  },
  {
    name: 'dhl',
    truth: {
      document_number: 'BRER000447188',
      issue_date: '2022-05-19',
      due_date: '2022-06-02',
      total: '37.94',
      net_total: '31.88',
      tax_total: '6.06',
      currency: 'EUR',
      supplier: 'Paketflug Nord GmbH',
    },
    text: `                                               Paketflug Nord GmbH
                                               Flughafendamm 12, 28199 Bremen
Harlow GmbH                                    RECHNUNG
Buchhaltung
Lindenallee 145                                Rechnungsnummer    BRER000447188
04109 Leipzig                                  Rechnungsdatum     19.05.2022
                                               Kundennummer       144718820
                                               Zahlungsbedingung  14 Tage
                                               Fälligkeitsdatum   02.06.2022

Leistungsart          Anzahl   Gewicht    Betrag (ohne USt)   USt     Gesamtbetrag
EXPRESS DOMESTIC      1        2,40       28,90               5,49    34,39
Treibstoffzuschlag                        2,98                0,57    3,55
Summe EUR                                 31,88               6,06    37,94

Bankverbindung IBAN DE89 3704 0044 0532 0130 00  BIC COBADEFFXXX`,
  },
  {
    name: 'uk-sole',
    truth: {
      document_number: '118',
      issue_date: '2025-01-31',
      due_date: '2025-02-07',
      total: '375.00',
      currency: 'GBP',
      supplier: 'Priya Nair Gardening',
    },
    text: `PRIYA NAIR GARDENING
07700 900418 | priya@nairgardens.example

INVOICE
No. 118
31 January 2025

For: Mr T. Harlow, 8 Church Row, Norwich

Hedge trimming, 3 visits               £300.00
Green waste removal                     £75.00
TOTAL                                  £375.00

Please pay by bank transfer within 7 days: 20-00-00 44718820. Not VAT registered.`,
  },
  {
    name: 'saas-de',
    truth: {
      document_number: 'RE-2024-08-4471',
      issue_date: '2024-08-31',
      total: '118.88',
      net_total: '99.90',
      tax_total: '18.98',
      currency: 'EUR',
      supplier: 'Wolkenwerk Software GmbH',
    },
    text: `Wolkenwerk Software GmbH | Ringstr. 4 | 97070 Würzburg

Odenthal Malerbetrieb
Hafenstraße 12                                 Beleg:        Rechnung
28195 Bremen                                   Belegnummer:  RE-2024-08-4471
                                               Belegdatum:   31.08.2024
                                               Leistung:     August 2024
                                               USt-ID Kunde: DE998877665

Position                          Menge     Einzel      Summe
Plan Business                     1         99,90 €     99,90 €
                                            Netto       99,90 €
                                            19% USt.    18,98 €
                                            Gesamt     118,88 €
Der Betrag wird per Lastschrift eingezogen.`,
  },
  {
    name: 'es-abogado',
    truth: {
      document_number: '2023-A-041',
      issue_date: '2023-12-01',
      due_date: '2023-12-31',
      total: '726.00',
      net_total: '600.00',
      tax_total: '126.00',
      currency: 'EUR',
      supplier: 'Ortega & Ruiz Abogados S.L.P.',
    },
    text: `ORTEGA & RUIZ ABOGADOS S.L.P.
B-81234567 · C/ Real 221 · 41001 Sevilla

Factura: 2023-A-041                         Sevilla, 1 de diciembre de 2023
Vencimiento: 31/12/2023

A la atención de:  Talleres Luna, S.L.
                   Calle Real 100
                   41001 Sevilla

Honorarios por redacción de contrato                        600,00
                              BASE IMPONIBLE                600,00
                              21% IVA                       126,00
                              TOTAL FACTURA (EUR)           726,00`,
  },
];
