import type { OfficePrint } from './office-prints.fixture.ts';

/** A bill's page with its correct fields, and its kind. */
export interface CustomerPrint extends OfficePrint {
  readonly kind: string;
}

/**
 * Bills as customers have them, whose correct fields were written down before they were read; also
 * quotations, orders and credit notes. All names, figures and numbers are invented. The reader once made a
 * mistake with each of them.
 */
export const CUSTOMER_PRINTS: readonly CustomerPrint[] = [
  {
    name: 'deposit',
    kind: 'invoice',
    truth: {
      document_number: 'KB-3312',
      issue_date: '2026-04-03',
      due_date: '2026-05-03',
      net_total: '1000.00',
      tax_total: '200.00',
      total: '1200.00',
      amount_due: '900.00',
      currency: 'GBP',
      supplier: 'Kestrel Blinds Ltd',
      customer: 'Mrs A. Okafor',
    },
    text: `Kestrel Blinds Ltd
Unit 4 Mill Lane, Ripon HG4 2AA
VAT Reg No GB 123 4567 82

INVOICE

Invoice to                               Invoice no:  KB-3312
Mrs A. Okafor                            Invoice date: 03/04/2026
7 Chapel Row                             Due date:     03/05/2026
Harrogate HG1 4LT

Description                     Qty      Unit price      Amount
Roller blind 120 cm             8        £100.00         £800.00
Fitting                         1        £200.00         £200.00

                                         Subtotal        £1,000.00
                                         VAT @ 20%         £200.00
                                         Total           £1,200.00
                                         Deposit paid     -£300.00
                                         Amount due        £900.00`,
  },
  {
    name: 'terms-only',
    kind: 'invoice',
    truth: {
      document_number: 'INV-0098',
      issue_date: '2026-01-31',
      due_date: '2026-03-02',
      total: '540.00',
      net_total: '450.00',
      tax_total: '90.00',
      currency: 'GBP',
      supplier: 'Thornbury Signs',
      customer: 'Lakeside Café Ltd',
    },
    text: `Thornbury Signs
Sign makers since 1984
12 High Street, Thornbury BS35 2AQ    tel 01454 555 010

Invoice                    INV-0098
Date                       31 January 2026
Your ref                   PO 5512

Lakeside Café Ltd
The Boathouse
Chew Magna BS40 8TF

2 x fascia sign, fitted                                   450.00
                                 VAT 20%                   90.00
                                 Total GBP                540.00

Payment terms: 30 days net. Late payment is charged at 8% over base rate.`,
  },
  {
    name: 'teacher',
    kind: 'invoice',
    truth: {
      document_number: '2026/07',
      issue_date: '2026-02-11',
      due_date: '2026-02-25',
      total: '380.00',
      currency: 'EUR',
      supplier: 'Lena Vogt',
      customer: 'Musikschule Rheinau e.V.',
    },
    text: `Lena Vogt
Klavierlehrerin
Ahornweg 12, 68219 Mannheim

Musikschule Rheinau e.V.
Rheinauer Ring 5
68219 Mannheim

                                             Datum: 11.02.2026
Rechnung 2026/07

Vertretungsstunden Januar 2026, 8 Std. à 47,50 €       380,00 €

Gesamtbetrag                                           380,00 €

Gemäß § 19 UStG wird keine Umsatzsteuer berechnet.
Bitte überweisen Sie den Betrag innerhalb von 14 Tagen.`,
  },
  {
    name: 'upholsterer',
    kind: 'invoice',
    truth: {
      document_number: '2026-0061',
      issue_date: '2026-03-18',
      total: '2400.00',
      net_total: '2000.00',
      tax_total: '400.00',
      amount_due: '1680.00',
      currency: 'EUR',
      supplier: 'Atelier Bonnet',
      customer: 'Madame Claire Dumas',
    },
    text: `Atelier Bonnet
Tapissier décorateur
5 place du Marché, 33000 Bordeaux

Facture n° 2026-0061 du 18 mars 2026

Client : Madame Claire Dumas
         8 quai des Chartrons, 33000 Bordeaux

Réfection de deux fauteuils Louis XV                    2 000,00 €
Total HT                                                2 000,00 €
TVA (20 %)                                                400,00 €
Total TTC                                               2 400,00 €
Acompte versé le 02/02/2026                              -720,00 €
Net à payer                                             1 680,00 €

Paiement à 30 jours fin de mois.`,
  },
  {
    name: 'translator',
    kind: 'invoice',
    truth: {
      document_number: 'F-26/031',
      issue_date: '2026-06-02',
      due_date: '2026-07-02',
      total: '1590.00',
      net_total: '1500.00',
      tax_total: '315.00',
      currency: 'EUR',
      supplier: 'Marta Quintana Soler',
      customer: 'Editorial Levante, S.L.',
    },
    text: `Marta Quintana Soler
Traductora · NIF 12345678Z
C/ Colón 18, 46004 Valencia

FACTURA

Número: F-26/031
Fecha: 02/06/2026

Cliente:
Editorial Levante, S.L.
CIF B12345674
Av. del Puerto 9, 46021 Valencia

Concepto                                        Importe
Traducción de catálogo (30.000 palabras)      1.500,00 €

Base imponible                                1.500,00 €
IVA 21 %                                        315,00 €
Retención IRPF -15 %                           -225,00 €
TOTAL                                         1.590,00 €

Vencimiento a 30 días.`,
  },
  {
    name: 'credit-note',
    kind: 'credit_note',
    truth: {
      document_number: 'CN-0071',
      issue_date: '2026-04-14',
      total: '-288.00',
      net_total: '-240.00',
      tax_total: '-48.00',
      currency: 'GBP',
      supplier: 'Garnet Office Supplies Ltd',
      customer: 'Rowan & Pike LLP',
    },
    text: `Garnet Office Supplies Ltd
Park Road, Luton LU1 3BN                     CREDIT NOTE

Customer                                     Credit note no   CN-0071
Rowan & Pike LLP                             Date             14/04/2026
1 Chancery Court                             Original invoice 55120
London WC2A 1AA                              Invoice date     02/03/2026

Item                          Qty      Price       Amount
Chairs returned               -4       60.00       -240.00

                              Net                  -240.00
                              VAT 20%               -48.00
                              Total credit         -£288.00`,
  },
  {
    name: 'roofer',
    kind: 'quotation',
    truth: {
      document_number: 'Q-2291',
      issue_date: '2026-05-06',
      total: '7440.00',
      net_total: '6200.00',
      tax_total: '1240.00',
      currency: 'GBP',
      supplier: 'Ashdown Roofing Ltd',
      customer: 'Mr D. Lindqvist',
    },
    text: `Ashdown Roofing Ltd
Forest Row RH18 5AA

QUOTATION
Quote no: Q-2291                     Date: 06/05/2026
Valid until: 05/06/2026

For:
Mr D. Lindqvist
Beech Cottage
Hartfield TN7 4AB

Strip and re-tile rear roof                      £5,400.00
Lead flashing to chimney                           £800.00
Net                                              £6,200.00
VAT 20%                                          £1,240.00
Total                                            £7,440.00

A deposit of £1,500.00 is payable on acceptance.`,
  },
  {
    name: 'gardener',
    kind: 'quotation',
    truth: {
      document_number: 'AN-26-055',
      issue_date: '2026-03-02',
      total: '5831.00',
      net_total: '4900.00',
      tax_total: '931.00',
      currency: 'EUR',
      supplier: 'Gartenbau Hollerbach',
      customer: 'Familie Petersen',
    },
    text: `Gartenbau Hollerbach, Inh. K. Hollerbach
Birkenweg 9, 21244 Buchholz

Familie Petersen
Heideweg 14
21244 Buchholz

Angebot Nr. AN-26-055                          02.03.2026

1  Terrasse pflastern, 40 qm                   3.600,00
2  Hecke pflanzen                              1.300,00
   Summe netto                                 4.900,00
   19 % MwSt.                                    931,00
   Angebotssumme brutto                    EUR 5.831,00

Dieses Angebot gilt bis 31.03.2026.`,
  },
  {
    name: 'engineer',
    kind: 'invoice',
    truth: {
      document_number: 'AR 2026-3',
      issue_date: '2026-04-02',
      due_date: '2026-04-16',
      total: '5950.00',
      net_total: '5000.00',
      tax_total: '950.00',
      currency: 'EUR',
      supplier: 'Ingenieurbüro Stamm GmbH',
      customer: 'Wohnbau Nord eG',
    },
    text: `Ingenieurbüro Stamm GmbH                            Hannover, 2. April 2026
Podbielskistr. 100
30177 Hannover

Wohnbau Nord eG
Am Markt 1
30159 Hannover

3. Abschlagsrechnung Nr. AR 2026-3
Projekt: Neubau Kita Sonnenweg, Auftrag vom 15.09.2025
Leistungszeitraum 01.03.2026 bis 31.03.2026

Tragwerksplanung Leistungsphase 5, 3. Abschlag        5.000,00 €
Umsatzsteuer 19 %                                       950,00 €
Rechnungsbetrag                                       5.950,00 €

Zahlbar innerhalb von 14 Tagen nach Rechnungsdatum ohne Abzug.`,
  },
  {
    name: 'painter-es',
    kind: 'quotation',
    truth: {
      document_number: 'P-118',
      issue_date: '2026-04-21',
      total: '3025.00',
      net_total: '2500.00',
      tax_total: '525.00',
      currency: 'EUR',
      supplier: 'Reformas Alcázar S.L.',
      customer: 'Comunidad de Propietarios Sol 14',
    },
    text: `Reformas Alcázar S.L.
C/ Mayor 7, 28013 Madrid    CIF B12345674

PRESUPUESTO Nº P-118                 Fecha: 21/04/2026
Cliente: Comunidad de Propietarios Sol 14

Pintura de escalera                         2.500,00 €
Base imponible                              2.500,00 €
I.V.A. 21%                                    525,00 €
Total presupuesto                           3.025,00 €
Validez: 30 días`,
  },
  {
    name: 'painter-nl',
    kind: 'quotation',
    truth: {
      document_number: 'OF-2026-31',
      issue_date: '2026-05-18',
      total: '2662.00',
      net_total: '2200.00',
      tax_total: '462.00',
      currency: 'EUR',
      supplier: 'Schildersbedrijf Kok',
      customer: 'Fam. de Wit',
    },
    text: `Schildersbedrijf Kok
Dorpsstraat 8, 1671 GK Medemblik

Fam. de Wit
Zeedijk 4
1671 AA Medemblik

Offerte OF-2026-31
Datum: 18 mei 2026

Buitenschilderwerk voorgevel                € 2.200,00
Subtotaal excl. btw                         € 2.200,00
21% btw                                     €   462,00
Totaal incl. btw                            € 2.662,00

Deze offerte is geldig tot 18 juni 2026.`,
  },
  {
    name: 'farm',
    kind: 'invoice',
    truth: {
      document_number: '2026/0455',
      issue_date: '2026-05-01',
      total: '331.50',
      net_total: '290.00',
      tax_total: '41.50',
      currency: 'GBP',
      supplier: 'Dale Farm Produce Ltd',
      customer: 'The Plough Inn',
    },
    text: `Dale Farm Produce Ltd
Kirkby Lonsdale LA6 2HH

VAT INVOICE 2026/0455
Tax point 01/05/2026
To:
The Plough Inn
Main Street
Cow Brow LA6 1PJ

Goods                       Net       Rate     VAT
Cider                       150.00    20%      30.00
Heating oil                  90.00    5%        4.50
Gift set                     35.00    20%       7.00
Vegetables                   15.00    0%        0.00

VAT analysis                Net       VAT
20%                         185.00    37.00
5%                           90.00     4.50
0%                           15.00     0.00
Totals                      290.00    41.50
Invoice total                        £331.50`,
  },
  {
    name: 'order',
    kind: 'purchase_order',
    truth: {
      document_number: 'PO-00917',
      issue_date: '2026-04-29',
      total: '1536.00',
      net_total: '1280.00',
      tax_total: '256.00',
      currency: 'GBP',
    },
    text: `Lyme Regis Marine Ltd
The Cobb, Lyme Regis DT7 3JJ

PURCHASE ORDER
PO number: PO-00917          Date: 29/04/2026
Supplier: Rope & Rigging Co
Delivery date: 15/05/2026

Item            Qty     Unit price     Total
Rope 12 mm      400 m   £2.45          £980.00
Shackle         60      £5.00          £300.00
                        Subtotal       £1,280.00
                        VAT            £256.00
                        Total          £1,536.00`,
  },
  {
    name: 'bookshop',
    kind: 'credit_note',
    truth: {
      document_number: 'AV-2026-07',
      issue_date: '2026-04-10',
      total: '-180.00',
      net_total: '-150.00',
      tax_total: '-30.00',
      currency: 'EUR',
      supplier: 'Librairie Voltaire SAS',
      customer: 'Lycée Jean Moulin',
    },
    text: `Librairie Voltaire SAS                         AVOIR N° AV-2026-07
22 rue Voltaire, 69003 Lyon                    Date d'émission : 10/04/2026
                                               Réf. facture : FC-2026-311 du 12/03/2026
Lycée Jean Moulin
1 place des Écoles
69003 Lyon

Retour manuels                                 - 150,00 €
Total HT                                       - 150,00 €
TVA 20 %                                        - 30,00 €
Total TTC                                      - 180,00 €`,
  },
  {
    name: 'freight',
    kind: 'invoice',
    truth: {
      document_number: 'AE-2026-77',
      issue_date: '2026-03-30',
      total: '15750.00',
      net_total: '15000.00',
      tax_total: '750.00',
      supplier: 'Falcon Freight LLC',
      customer: 'Rhine Parts GmbH',
      currency: 'AED',
    },
    text: `Falcon Freight LLC
Dubai, United Arab Emirates                 TAX INVOICE

Invoice No.  AE-2026-77                     Date  30-Mar-2026
Bill To: Rhine Parts GmbH

Air freight DXB-FRA                         15,000.00 AED
Total before VAT                            15,000.00 AED
VAT 5%                                         750.00 AED
Total                                       15,750.00 AED`,
  },
  {
    name: 'hotel',
    kind: 'invoice',
    truth: {
      document_number: 'F/20418',
      issue_date: '2026-05-10',
      total: '318.00',
      currency: 'EUR',
      supplier: 'Hotel Miramar',
    },
    text: `Hotel Miramar
Avenida da Praia 100, 2750 Cascais

INVOICE F/20418                         Invoice date: 10/05/2026
Guest: Ms Laura Stein
Arrival: 07/05/2026                     Departure: 10/05/2026

07/05   Room 211                        100.00 €
08/05   Room 211                        100.00 €
09/05   Room 211                        100.00 €
        City tax                         18.00 €
        Total                           318.00 €
        Paid - Mastercard              -318.00 €
        Balance                           0.00 €`,
  },
  {
    name: 'surveyor',
    kind: 'invoice',
    truth: {
      document_number: '7-2210',
      issue_date: '2026-06-07',
      due_date: '2026-07-07',
      net_total: '1875.00',
      tax_total: '375.00',
      total: '2250.00',
      supplier: 'Penrose Surveyors LLP',
      customer: 'Trevose Holdings plc',
      currency: 'GBP',
    },
    text: `                                              Penrose Surveyors LLP
Trevose Holdings plc                          Lemon Quay House
FAO Accounts                                  Truro
40 Fore Street                                TR1 2QD
St Ives                                       VAT No 345 6789 01
TR26 1HE

INVOICE

Invoice number        Invoice date        Payment due
7-2210                07/06/2026          07/07/2026

Condition survey, Fore Street                                1,875.00
                                             Sub-total       1,875.00
                                             VAT 20.00%        375.00
                                             TOTAL DUE      £2,250.00`,
  },
  {
    name: 'lawyer',
    kind: 'invoice',
    truth: {
      document_number: '22/E',
      issue_date: '2026-04-30',
      net_total: '1000.00',
      tax_total: '220.00',
      total: '1220.00',
      supplier: 'Studio Legale Bassi',
      customer: 'Tecnomeccanica Po S.p.A.',
    },
    text: `Studio Legale Bassi
Corso Italia 9, 20122 Milano    P.IVA 09876543217

Spett.le Tecnomeccanica Po S.p.A.
Via del Lavoro 3, 26100 Cremona

Fattura n. 22/E del 30/04/2026

Onorari                                  1.000,00
IVA 22%                                    220,00
Totale fattura                           1.220,00
Ritenuta d'acconto 20%                    -200,00
Netto a pagare                           1.020,00`,
  },
  {
    name: 'kitchen',
    kind: 'invoice',
    truth: {
      document_number: '26-0311',
      issue_date: '2026-03-02',
      due_date: '2026-03-16',
      net_total: '5000.00',
      tax_total: '1050.00',
      total: '6050.00',
      amount_due: '4550.00',
      supplier: 'Keukenhuis Zwolle BV',
      customer: 'Mevr. A. Smit',
      currency: 'EUR',
    },
    text: `Keukenhuis Zwolle BV
Blaloweg 12, 8041 AH Zwolle
KvK 05012345 BTW NL001234567B01

Mevr. A. Smit
Assendorperstraat 8
8012 CA Zwolle

Factuurnr.: 26-0311
Datum: 2 maart 2026
Betalingstermijn: 14 dagen

Keuken compleet geplaatst                 € 5.000,00
Totaal exclusief btw                      € 5.000,00
Btw 21%                                   € 1.050,00
Totaal inclusief btw                      € 6.050,00
Reeds voldaan (aanbetaling)               € 1.500,00
Nog te betalen                            € 4.550,00`,
  },
  {
    name: 'dentist',
    kind: 'invoice',
    truth: {
      document_number: '2026-551',
      issue_date: '2026-05-20',
      due_date: '2026-06-19',
      total: '431.60',
      supplier: 'Zahnarztpraxis Dr. Keller',
      customer: 'Frau Sabine Roth',
      currency: 'CHF',
    },
    text: `Zahnarztpraxis Dr. Keller
Seestrasse 15, 8002 Zürich

Frau Sabine Roth
Bergweg 2
8055 Zürich

Zürich, 20. Mai 2026
Rechnung Nr. 2026-551

Behandlung vom 12.05.2026                          431.60
Total CHF                                          431.60
Zahlbar innert 30 Tagen

Empfangsschein              Zahlteil
Konto / Zahlbar an          Konto / Zahlbar an
Währung  Betrag             Währung  Betrag
CHF      431.60             CHF      431.60`,
  },
  {
    name: 'water',
    kind: 'invoice',
    truth: {
      document_number: '99018',
      issue_date: '2026-05-01',
      total: '142.00',
      supplier: 'Severnside Water',
      currency: 'GBP',
    },
    text: `Severnside Water                             Bill number 99018
PO Box 12, Gloucester GL1 1AA                Bill date 1 May 2026
Mr T. Ellis
2 Weir Lane
Tewkesbury GL20 5AA

Balance brought forward                       -£12.00
Water 60 m3 @ £1.50                            £90.00
Sewerage                                       £52.00
Total charges this period                     £142.00
Amount to pay by 22 May 2026                  £130.00`,
  },
  {
    name: 'builder',
    kind: 'invoice',
    truth: {
      document_number: 'SR-77',
      issue_date: '2026-05-05',
      total: '11900.00',
      supplier: 'Bau Wagner GmbH',
      currency: 'EUR',
    },
    text: `Bau Wagner GmbH · Ziegelweg 3 · 86150 Augsburg

Eheleute Sommer
Am Hang 4
86161 Augsburg

Schlussrechnung Nr. SR-77                   Datum: 05.05.2026

Gesamtleistung netto                        10.000,00 €
MwSt. 19 %                                   1.900,00 €
Gesamtbetrag brutto                         11.900,00 €

abzüglich Abschlagsrechnungen:
Rechnung Nr. AR-71 vom 02.02.2026            2.975,00 €
Rechnung Nr. AR-74 vom 03.03.2026            2.975,00 €
Restbetrag                                   5.950,00 €`,
  },
  {
    name: 'office',
    kind: 'invoice',
    truth: {
      customer: 'Kanzlei Dr. Voss PartG mbB',
      supplier: 'Reinigung Blitz GmbH',
      total: '119.00',
      document_number: 'B-20',
    },
    text: `Reinigung Blitz GmbH, Hauptstr. 1, 50667 Köln

Rechnung an:
Frau Iris Voss
Kanzlei Dr. Voss PartG mbB
Domplatz 2
50667 Köln

Rechnungsnummer: B-20
Rechnungsdatum: 06.06.2026
Reinigung Mai                      100,00 €
MwSt 19%                            19,00 €
Gesamt                             119,00 €`,
  },
  {
    name: 'solicitor',
    kind: 'invoice',
    truth: {
      document_number: 'HM/2201',
      issue_date: '2026-05-22',
      total: '1860.00',
      supplier: 'Hartley Moor LLP',
      customer: 'Mrs J Pryce',
      currency: 'GBP',
    },
    text: `Hartley Moor LLP
Solicitors
3 Castle Street
Ludlow SY8 1AS

Mrs J Pryce                                        Our ref: HM/2201/PRY
Yew Tree House
Clun
SY7 8AA

BILL No. HM/2201                                   22 May 2026

Professional charges: sale of Yew Tree House       £1,500.00
VAT at 20%                                           £300.00
Land Registry fee (no VAT)                            £60.00
TOTAL                                              £1,860.00`,
  },
  {
    name: 'designer',
    kind: 'invoice',
    truth: {
      document_number: 'F2026-09',
      issue_date: '2026-05-04',
      due_date: '2026-06-03',
      total: '640.00',
      supplier: 'Camille Roche',
      customer: 'SARL Le Fournil',
      currency: 'EUR',
    },
    text: `Camille Roche
Graphiste indépendante
6 allée des Pins, 35000 Rennes
SIRET 123 456 789 00012

SARL Le Fournil
10 rue Nationale
35200 Rennes

Facture F2026-09
Date de facturation : 04/05/2026
Date d'échéance : 03/06/2026

Création de logo                             640,00 €
TOTAL                                        640,00 €
TVA non applicable, art. 293 B du CGI`,
  },
  {
    name: 'electricity',
    kind: 'invoice',
    truth: {
      document_number: '004810022',
      issue_date: '2026-04-12',
      due_date: '2026-05-04',
      total: '86.40',
      supplier: 'Energia Brianza S.p.A.',
      currency: 'EUR',
    },
    text: `Energia Brianza S.p.A.                         Bolletta n. 004810022
Via Monza 5, 20900 Monza                       del 12/04/2026
P.IVA 12345678903
                                               Giulia Conti
Periodo: 01/02/2026 - 31/03/2026               Via Roma 8
                                               20900 Monza MB

Spesa per l'energia                            52,10 €
Trasporto e oneri                              18,72 €
Totale imponibile                              70,82 €
IVA 22%                                        15,58 €
Totale bolletta                                86,40 €
Da pagare entro il 04/05/2026`,
  },
];
