/**
 * Bills of power, gas, water, telephone and insurance companies in eight countries: with balances brought
 * forward, meter readings, future instalments and sums of several contracts, so that a wrong figure is easily
 * taken for the right one. Modelled on real bills, each with its correct fields; all names and numbers are
 * invented.
 */
import type { OfficePrint } from './office-prints.fixture.ts';

/** The bills. */
export const HOUSEHOLD_BILLS: readonly OfficePrint[] = [
  {
    name: 'uk-dual-fuel',
    truth: {
      document_number: '710044718',
      issue_date: '2024-02-06',
      total: '214.37',
      tax_total: '10.21',
      net_total: '204.16',
      currency: 'GBP',
      supplier: 'Riverside Energy Limited',
    },
    text: `Riverside Energy

Mr P Shah                                           Your bill
14 Quay Street                                      Account number      8500 4471 8821
Bristol                                             Bill number         710044718
BS1 4XE                                             Bill date           6 February 2024
                                                    Bill period         5 January 2024 – 4 February 2024

Your account at a glance
Balance on your last bill                           £182.10
What you have paid – thank you                      £182.10 CR
Balance brought forward                             £0.00

Electricity charges                                 £96.41
Gas charges                                         £107.75
VAT at 5%                                           £10.21
Total charges for this period                       £214.37

We'll collect £214.37 by Direct Debit on or around 20 February 2024.
Your tariff: Flexible Saver. Tariff ends on: no end date. Exit fees: none.
Your next bill will reach you around 6 March 2024.

Riverside Energy Limited. Registered in England and Wales No. 07078111. VAT no. 684 9667 62`,
  },
  {
    name: 'uk-water',
    truth: {
      document_number: 'W-2024-118840',
      issue_date: '2024-04-11',
      due_date: '2024-04-30',
      total: '231.64',
      currency: 'GBP',
      supplier: 'Avonmouth Water plc',
    },
    text: `Avonmouth Water plc                                 www.avonmouthwater.example

Ms E Whitcombe                                      Invoice number   W-2024-118840
5 Chapel Hill                                       Invoice date     11 Apr 2024
Bristol  BS2 9AA                                    Customer number  60 2231 7788

Your water and wastewater bill
For 12 October 2023 to 9 April 2024

Previous balance                                    £198.22
Payments received up to 9 April 2024               -£198.22
Water: 61 cubic metres at £1.8842                   £114.94
Wastewater: 58 cubic metres at £1.6017              £92.90
Standing charges                                    £23.80
Total now due                                       £231.64
Please pay by 30 April 2024

Your last meter reading was on 12 October 2023. The next one is planned for October 2024.`,
  },
  {
    name: 'uk-mobile',
    truth: {
      document_number: 'B24-55120077',
      issue_date: '2024-05-14',
      due_date: '2024-05-28',
      total: '41.40',
      net_total: '34.50',
      tax_total: '6.90',
      currency: 'GBP',
      supplier: 'Brightwave Mobile Ltd',
    },
    text: `brightwave
                                         Invoice number:  B24-55120077
Harlow Ltd                               Invoice date:    14 May 2024
9 Harbour Terrace                        Account:         100238841
Bristol BS1 6UX                          Page 1 of 3

Summary
Your plan (14 May – 13 Jun 2024)                           28.33
Add-ons                                                     4.17
Charges outside your allowance (14 Apr – 13 May 2024)       2.00
Total excluding VAT                                        34.50
VAT at 20%                                                  6.90
Total amount due                                          £41.40

You pay by Direct Debit, so you don't need to do anything. We'll take £41.40 on 28 May 2024.
If you leave before 13 November 2025 an early termination fee of up to £198.31 applies.

Brightwave Mobile Ltd, 1 Speedway Park, Newbury. Company number 01471587. VAT GB 569 9532 77`,
  },
  {
    name: 'de-jahresrechnung',
    truth: {
      document_number: '2024-0098 4471',
      issue_date: '2024-01-22',
      total: '1428.00',
      net_total: '1200.00',
      tax_total: '228.00',
      currency: 'EUR',
      supplier: 'Stadtwerke Hohenfels GmbH',
    },
    text: `Stadtwerke Hohenfels GmbH · Am Kraftwerk 1 · 92366 Hohenfels

Frau                                        Rechnungsnummer:   2024-0098 4471
Thea Brandt                                 Rechnungsdatum:    22.01.2024
Lindenallee 14                              Vertragskonto:     200 118 7745
92366 Hohenfels                             Zählernummer:      1EMH0012345678

Ihre Jahresrechnung Strom für den Zeitraum 01.01.2023 bis 31.12.2023

Arbeitspreis    3.250 kWh x 32,20 ct/kWh                           1.046,50 EUR
Grundpreis      365 Tage                                             153,50 EUR
Nettobetrag                                                        1.200,00 EUR
zzgl. 19 % USt                                                       228,00 EUR
Rechnungsbetrag brutto                                             1.428,00 EUR
abzüglich geleistete Abschläge (11 x 135,00 EUR)                  -1.485,00 EUR
Ihr Guthaben                                                          57,00 EUR

Das Guthaben überweisen wir in den nächsten Tagen auf Ihr Konto.
Ihr neuer Abschlag beträgt 119,00 EUR und ist fällig am:
01.02.2024   01.03.2024   02.04.2024   02.05.2024   03.06.2024
01.07.2024   01.08.2024   02.09.2024   01.10.2024   04.11.2024
Zählerstand am 31.12.2023: 48.211 kWh (abgelesen), am 31.12.2022: 44.961 kWh`,
  },
  {
    name: 'de-mobilfunk',
    truth: {
      document_number: '108 441 772 05',
      issue_date: '2023-09-12',
      total: '29.99',
      net_total: '25.20',
      tax_total: '4.79',
      currency: 'EUR',
      supplier: 'Funkhaus Mobil GmbH & Co. KG',
    },
    text: `Funkhaus Mobil GmbH & Co. KG, Kundenbetreuung, 40878 Ratingen

Herrn                                              Kundennummer       118 200 441
Jürgen Odenthal                                    Rechnungsnummer    108 441 772 05
Hafenstraße 12                                     Rechnungsdatum     12.09.2023
28195 Bremen                                       Rechnungszeitraum  08.08.2023 - 07.09.2023

Ihre Mobilfunk-Rechnung

Monatliche Beträge                                                 netto (EUR)
Tarif Flex M                                                           25,20
Verbindungen innerhalb der Flatrate                                     0,00
Summe Nettobeträge                                                     25,20
Umsatzsteuer 19 %                                                       4,79
Rechnungsbetrag                                                        29,99

Der Rechnungsbetrag wird am 19.09.2023 von Ihrem Konto DE** **** 7788 abgebucht.
Ihr Vertrag läuft bis mindestens 14.02.2025. Kündigungsfrist: ein Monat.`,
  },
  {
    name: 'de-versicherung',
    truth: {
      issue_date: '2024-11-15',
      due_date: '2025-01-01',
      total: '384.71',
      currency: 'EUR',
      supplier: 'Hansa Nordlicht Versicherung AG',
    },
    text: `Hansa Nordlicht Versicherung AG
20095 Hamburg

Frau                                                 Hamburg, 15.11.2024
Eleanor Whitcombe
Am Markt 3                                           Versicherungsschein-Nr.  KH 4471882-9
50667 Köln                                           Bitte immer angeben

Beitragsrechnung zur Kraftfahrtversicherung
Fahrzeug: K-EW 1880

Versicherungszeitraum 01.01.2025 bis 01.01.2026
Haftpflicht                                             212,40 EUR
Teilkasko mit 150 EUR Selbstbeteiligung                 110,89 EUR
Versicherungsteuer 19 %                                  61,42 EUR
Jahresbeitrag                                           384,71 EUR

Der Beitrag ist fällig am 01.01.2025. Bisheriger Jahresbeitrag: 361,05 EUR.`,
  },
  {
    name: 'fr-electricite',
    truth: {
      document_number: '10 204 118 447',
      issue_date: '2024-03-18',
      due_date: '2024-04-02',
      total: '148.62',
      currency: 'EUR',
      supplier: 'Lumière Énergie SA',
    },
    text: `LUMIÈRE ÉNERGIE                                 Mme Claire Fontaine
Service clients                                 22 rue des Lilas
09 70 81 83 20                                  69003 LYON

FACTURE du 18 mars 2024
n° 10 204 118 447
Référence client : 6 004 118 920
Titulaire du contrat : Mme Claire Fontaine
Point de livraison (PDL) : 21 4478 1120 3391

Électricité (relevé du 15/03/2024)
Abonnement (du 16/03/2024 au 15/05/2024)               24,18 €
Consommation (du 16/01/2024 au 15/03/2024)             92,40 €
Taxes et contributions                                 11,04 €
Total hors TVA                                        127,62 €
TVA                                                    21,00 €
Facture TTC                                           148,62 €

Montant à prélever le 02/04/2024                      148,62 €
Prochain relevé : vers le 16 mai 2024. Prochaine facture : vers le 18 mai 2024.

Lumière Énergie SA au capital de 2 084 365 041 euros, RCS Paris 552 081 317`,
  },
  {
    name: 'fr-internet',
    truth: {
      document_number: 'FI2405118847',
      issue_date: '2024-05-03',
      total: '39.99',
      net_total: '33.33',
      tax_total: '6.66',
      currency: 'EUR',
      supplier: 'Télécom Atlantique SAS',
    },
    text: `Télécom Atlantique SAS
TSA 90012, 35069 Rennes Cedex

                                                M. Lucas Perrin
Votre facture internet                          8 quai Saint-Michel
N° de facture : FI2405118847                    44000 Nantes
Date de facture : 03/05/2024
Identifiant : 77120044
Période : du 01/05/2024 au 31/05/2024

Solde précédent                                                     39,99 €
Votre règlement du 08/04/2024, merci                               -39,99 €
Abonnement Fibre                                                    33,33 €
Total HT                                                            33,33 €
TVA 20,00 %                                                          6,66 €
Total TTC                                                           39,99 €

Cette somme sera prélevée à partir du 08/05/2024.`,
  },
  {
    name: 'es-luz',
    truth: {
      document_number: 'P24CON011884471',
      issue_date: '2024-06-07',
      total: '68.32',
      currency: 'EUR',
      supplier: 'Comercializadora del Ebro S.A.U.',
    },
    text: `Comercializadora del Ebro S.A.U.               CIF A81948077

DATOS DE LA FACTURA                            Lucía Ortega Ruiz
Nº factura: P24CON011884471                    C/ Mayor 14, 3º B
Referencia: 448120077/0118                     50001 Zaragoza
Fecha de emisión: 07/06/2024
Periodo de facturación: del 02/05/2024 a 03/06/2024 (32 días)
Fecha prevista de cobro: 14 de junio de 2024

RESUMEN DE LA FACTURA
Potencia                                                14,26 €
Energía                                                 38,77 €
Descuentos                                              -2,30 €
Impuesto electricidad                                    1,93 €
Equipos y otros                                          0,85 €
IVA 21% s/ 53,51                                        11,24 €
Otros conceptos                                          3,57 €
TOTAL IMPORTE FACTURA                                   68,32 €

Fecha fin de contrato: 11/02/2025 (renovación anual automática)`,
  },
  {
    name: 'it-gas-luce',
    truth: {
      document_number: '324007711884',
      issue_date: '2024-02-12',
      due_date: '2024-03-04',
      total: '187.45',
      currency: 'EUR',
      supplier: 'Padana Luce e Gas S.p.A.',
    },
    text: `Padana Luce e Gas S.p.A.                         Spett.le
Servizio Clienti 800 900 860                     GIULIA FERRI
                                                 VIA ROMA 14
Bolletta di energia elettrica                    20121 MILANO MI
N. fattura 324007711884
del 12/02/2024
Codice cliente 1 001 447 118
Periodo: dicembre 2023 - gennaio 2024

Spesa per la materia energia                          98,20 €
Spesa per il trasporto e la gestione del contatore    31,15 €
Spesa per oneri di sistema                            12,40 €
Imposte                                               11,90 €
Totale imponibile                                    153,65 €
IVA 22%                                               33,80 €
Totale bolletta                                      187,45 €

Da pagare entro il 04/03/2024
Le bollette precedenti risultano pagate. Prossima lettura: dal 25/03/2024 al 31/03/2024`,
  },
  {
    name: 'nl-jaarafrekening',
    truth: {
      document_number: '8800 4471 20',
      issue_date: '2024-07-09',
      due_date: '2024-07-30',
      total: '1815.00',
      net_total: '1500.00',
      tax_total: '315.00',
      currency: 'EUR',
      supplier: 'Waterland Energie B.V.',
    },
    text: `Waterland Energie B.V., Postbus 1003, 3000 BA Rotterdam

Mevrouw S. de Vries                                 Factuurdatum     9 juli 2024
Prinsengracht 221                                   Factuurnummer    8800 4471 20
1015 DT Amsterdam                                   Klantnummer      30 118 447

Jaarafrekening energie 1 juli 2023 t/m 30 juni 2024

Stroom                                              € 620,00
Gas                                                 € 700,00
Vaste kosten                                        € 180,00
Totaal exclusief btw                              € 1.500,00
Btw 21%                                             € 315,00
Totaal inclusief btw                              € 1.815,00
Betaalde termijnbedragen                          € 1.680,00 -
U moet nog betalen                                  € 135,00

Wij schrijven dit bedrag op 30 juli 2024 van uw rekening af. Betaalt u zelf? Betaal dan uiterlijk 30 juli 2024.
Uw nieuwe termijnbedrag is € 152,00 per maand, voor het eerst op 28 augustus 2024.`,
  },
  {
    name: 'us-electric',
    truth: {
      issue_date: '2024-08-09',
      due_date: '2024-08-30',
      total: '143.27',
      currency: 'USD',
      supplier: 'Lakeshore Power & Light Co.',
    },
    text: `Lakeshore Power & Light Co.
P.O. Box 1188, Cleveland, OH 44101                  (216) 555-0142

Account number: 1104 4718 82-3                      Statement date: 08/09/2024
Service for: DANIEL KIM                             Next meter reading date: 09/09/2024
             1120 EUCLID AVE, CLEVELAND OH 44115

Amount of last statement                            $128.90
Payment received 07/26/2024                        -$128.90
Remaining balance                                     $0.00
Delivery charges                                     $61.12
Generation charges                                   $78.40
Taxes and fees                                        $3.75
Current charges                                     $143.27
Total amount due by 08/30/2024                      $143.27

A late payment charge of 1.5% may apply after 08/30/2024.`,
  },
];
