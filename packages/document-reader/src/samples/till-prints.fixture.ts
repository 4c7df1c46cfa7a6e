/** The text that a till printed, with its correct fields. */
export interface TillPrint {
  readonly supplier: string;
  /** ISO. */
  readonly issue_date: string;
  readonly total: string;
  readonly text: string;
}

/**
 * Receipts in the forms of chains, restaurants, garages, taxis and filling stations in ten countries; names
 * and figures are invented.
 */
export const TILL_PRINTS: readonly TillPrint[] = [
  {
    supplier: 'K A U F G U T',
    issue_date: '2023-03-14',
    total: '5.17',
    text: `        K A U F G U T
     Hauptstr. 12
     50667 Köln
 UID Nr.: DE812706034
                          EUR
BIO BANANE               1,79 B
VOLLMILCH 3,5%           1,15 B
   2 Stk x    0,99
JOGHURT NATUR            1,98 B
PFAND 0,25 EURO          0,25 A*
--------------------------------
SUMME             EUR    5,17
================================
Geg. Mastercard   EUR    5,17

     * * Kundenbeleg * *
Datum:              14.03.2023
Uhrzeit:          18:02:11 Uhr
Beleg-Nr.              4411
Trace-Nr.            021773
      Kontaktlos
Mastercard
Nr.   ############4411 0000
VU-Nr.            4556123344
Terminal-ID         54012345
Betrag EUR              5,17
      Zahlung erfolgt
Steuer %  Netto  Steuer  Brutto
A= 19,0%    0,21   0,04    0,25
B=  7,0%    4,60   0,32    4,92
Gesamtbetrag 4,81  0,36    5,17`,
  },
  {
    supplier: 'FENWAY',
    issue_date: '2022-11-09',
    total: '14.35',
    text: `FENWAY
Every little bit
HARROGATE ROAD
0345 6779 142
VAT NO: 220 4302 31

SEMI SKIM MILK            £1.55
BRAEBURN APPLES           £1.90
CHICKEN BREAST            £5.25
Reduced price
WHT BLOOMER               £0.65
6 EGGS                    £5.00
               --------
SUB-TOTAL          £14.35
Clubcard savings -£0.00
TOTAL              £14.35
Visa               £14.35
AID: A0000000031010
NUMBER: ************4412 ICC
PAN SEQ NO : 01
AUTH CODE : 028817
MERCHANT : 35421
CHANGE DUE         £0.00
CLUBCARD STATEMENT
POINTS THIS VISIT     14
TOTAL UP TO 08/11/22  512
09/11/22 18:12 3214 027 6604 1122`,
  },
  {
    supplier: 'Bigfield',
    issue_date: '2019-08-20',
    total: '49.90',
    text: `Bigfield
Save money. Live well.
( 512 ) 555 - 0142
MANAGER DANA ROSS
3901 PINE STREET
AUSTIN TX 78701
ST# 02214 OP# 009044 TE# 44 TR# 01301
BREAD      007225003712 F   2.88 N
GV PNT BUT 007874237003 F   3.84 N
TOILET PAP 003700001234    12.44 X
DOG TREAT  007119013654     2.92 X
2 AT 1 FOR 0.97
COUPON 23100   052310037000 1.00-O
PERSONAL CARE               25.80 X
                SUBTOTAL   46.88
     TAX 1       7.000 %    3.02
                   TOTAL   49.90
               VISA TEND   49.90
ACCOUNT #       **** **** **** 4421 S
APPROVAL # 093412
REF # 100200300400
TERMINAL # SC010764
08/20/19        15:32:05
              CHANGE DUE    0.00
# ITEMS SOLD 6
TC# 1122 3344 5566 7788 9900
    Low prices you can trust. Every day.
08/20/19     15:32:11
***CUSTOMER COPY***`,
  },
  {
    supplier: 'MARCHE CENTRAL',
    issue_date: '2021-05-03',
    total: '23.47',
    text: `      MARCHE CENTRAL
   BD DE LA LIBERATION
      13001 MARSEILLE
   TEL 04.96.01.82.11
DESCRIPTION   QTE  MONTANT
*PAIN COMPLET            1,85€
*LAIT 1/2 ECR  2 x 1,02€ 2,04€
JAMBON SUP               3,58€
CAFE MOULU              16,00€
=========================
       TOTAL A PAYER   23,47€
4 ARTICLE(S)
CB EMV SANS CONTACT     23,47€
dont REMISE IMMEDIATE    0,00€
TVA   HT    TVA   TTC
5,50% 20,35 1,12  21,47
20,0%  1,67 0,33   2,00
0412 003 0117 0212  03/05/2021 11:47:02
MERCI DE VOTRE VISITE A BIENTOT`,
  },
  {
    supplier: 'COMERCADO, S.A.',
    issue_date: '2024-01-16',
    total: '31.08',
    text: `COMERCADO, S.A.   A-46103834
C/ COLON 27
46004 VALENCIA
TELEFONO: 963940000
16/01/2024 19:21  OP: 118442
FACTURA SIMPLIFICADA: 2231-014-118442
Descripción   P. Unit  Importe
1 BARRA RUSTICA            0,95
2 LECHE ENTERA   0,93      1,86
1 ACEITE OLIVA 1L          9,95
1 PLATANO
 1,250 kg 2,25 €/kg        2,81
1 DETERGENTE              15,51
TOTAL (€)                 31,08
TARJETA BANCARIA          31,08
IVA   BASE IMPONIBLE (€)  CUOTA (€)
0%      2,81    0,00
10%    12,00    1,20
21%    12,45    2,62
TOTAL  27,26    3,82
TARJ. BANCARIA: **** **** **** 4412
N.C: 041883211   AUT: 331882
AID: A0000000031010 ARC: 00
SE ADMITEN DEVOLUCIONES CON TICKET`,
  },
  {
    supplier: 'LUNGAVIA S.P.A.',
    issue_date: '2022-06-30',
    total: '18.74',
    text: `LUNGAVIA S.P.A.
SEDE LEGALE VIA GIAMBOLOGNA 1 LIMITO
NEGOZIO DI MILANO VIA RIPAMONTI
P.IVA 04916380159
DOCUMENTO COMMERCIALE
di vendita o prestazione
DESCRIZIONE      IVA   Prezzo(€)
LATTE FRESCO      4%      1,59
PANE              4%      2,40
MOZZARELLA       10%      4,75
SHAMPOO          22%     10,00
Subtotale                18,74
TOTALE COMPLESSIVO       18,74
di cui IVA                2,38
Pagamento contante       20,00
Pagamento elettronico     0,00
Non riscosso              0,00
Resto                     1,26
Importo pagato           18,74
30-06-2022 12:05
DOCUMENTO N. 0117-0042
RT 99IEB012345`,
  },
  {
    supplier: 'AB Heijen',
    issue_date: '2023-09-02',
    total: '12.63',
    text: `AB Heijen
Stationsplein 8
Utrecht
030-2319955
2 HALFV MELK  1,19    2,38
1 BROCCOLI           1,29
1 KIPFILET           6,49 B
1 STATIEGELD         0,25
1 KAAS               2,92
SUBTOTAAL           13,33
BONUS KIPFILET      -0,70
UW VOORDEEL          0,70
TOTAAL              12,63
PINNEN              12,63
POI: 50143307
KLANTTICKET
Terminal 5F2YH3 Merchant 2009841
Periode 3245 Transactie 02188144
MAESTRO (A0000000043060)
Kaart 673400xxxxxxxxx1234
BETALING
Datum 02/09/2023 17:44
Autorisatiecode F1JR1F
Totaal 12,63 EUR
BTW  OVER  EUR
9%   11,36  1,02
21%   0,21  0,04
TOTAAL 11,57 1,06
1412 17:44 12 2-9-2023
VRAGEN OVER JE KASSABON?`,
  },
  {
    supplier: 'Ruby Lane Diner',
    issue_date: '2023-07-14',
    total: '38.29',
    text: `Ruby Lane Diner
77 W Lake St
Chicago, IL 60601
Server: Kim       Table 12
Check #44121      Guests: 2
07/14/2023 7:42 PM

2 Cheeseburger       25.00
1 Iced Tea            3.25
1 Fries               4.50
Subtotal             32.75
Tax                   3.36
Gratuity (optional)
Suggested 18% = 5.90
20% = 6.55
Visa xxxx4421        38.29
Tip                   2.18
Total                38.29
Thank you! Come again`,
  },
  {
    supplier: 'Stadtgarage Mitte',
    issue_date: '2024-10-05',
    total: '7.50',
    text: `Stadtgarage Mitte
Quittung
Parkplatz Dom
Einfahrt: 05.10.2024 10:14
Ausfahrt: 05.10.2024 13:02
Parkdauer 2h 48min
Betrag: 7,50 EUR
inkl. 19% MwSt. 1,20 EUR
Bezahlt mit: girocard
Danke und gute Fahrt`,
  },
  {
    supplier: 'City Cabs Ltd',
    issue_date: '2025-02-11',
    total: '18.40',
    text: `City Cabs Ltd
Licence 4471
RECEIPT
Date: 11/02/25  Time: 22:51
Fare             £16.40
Booking fee       £2.00
Total            £18.40
Paid: Card
Thank you for travelling`,
  },
  {
    supplier: 'Nordring Tank',
    issue_date: '2022-08-19',
    total: '71.35',
    text: `NORDRING TANK
Station 4471
Hamburger Str. 12
24558 Henstedt-Ulzburg
Tel. 04193/1234
* Super E10  41,50 l  1,719 EUR/l
 Zapfsäule 03            71,35 EUR A
-----------------------------
Gesamtbetrag EUR     71,35
Typ  Netto   MwSt  Brutto
A 19% 59,96  11,39  71,35
Kreditkarte          71,35
19.08.22 08:14  Bon 4412/003
St-Nr. 12/345/67890`,
  },
  {
    supplier: 'Hôtel du Lac',
    issue_date: '2023-12-31',
    total: '64.00',
    text: `Hôtel du Lac
Bar & Restaurant
Table 7  Couverts 2
Ticket 00412
31/12/23 21:18
2 x Menu midi @ 24.00      48.00
2 x Verre de blanc          9.00
1 x Eau minérale            7.00
TOTAL EUR                  64.00
TVA 10% 5,82
Carte bancaire             64.00
Service compris
Merci, à bientôt`,
  },
  {
    supplier: 'BEAN STREET #4471',
    issue_date: '2021-04-09',
    total: '9.27',
    text: `BEAN STREET #4471
500 Market Blvd
Boise, ID 83702
CHK 712288
04/09/2021 08:12 AM
1 Grande Latte        4.45
1 Croissant           3.95
Discount             -0.00
Subtotal              8.40
Tax 10.25%            0.87
Total                 9.27
Change Due            0.00
Visa                  9.27
XXXXXXXXXXXX4421
Join our loyalty program: expires 12/31/2021`,
  },
  {
    supplier: 'HARBOUR HARDWARE PTY LTD',
    issue_date: '2020-02-27',
    total: '45.95',
    text: `HARBOUR HARDWARE PTY LTD
ABN 62 008 672 179
12 Quay Rd, Manly NSW 2095
TAX INVOICE
27/02/2020 2:15 PM  Reg 4
PAINT WHT 4L        39.95
BRUSH 50MM           5.98
SubTotal            45.93
Rounding             0.02
Total               45.95
  includes GST of    4.18
Cash                50.00
Change               4.05
Keep your receipt as proof of purchase`,
  },
  {
    supplier: 'Dorfladen Oberthal',
    issue_date: '2024-05-18',
    total: '23.45',
    text: `Dorfladen Oberthal
Dorfplatz 2, 3531 Oberthal
CHE-114.872.336 MWST
18.05.2024  09:41  Kasse 1
Ruchbrot 500g          3.20
Emmentaler             8.90
Eier 10 Stk            6.95
Butter                 4.40
Total CHF             23.45
Bar                   30.00
Rückgeld              -6.55
MWST 2.6%  22.86  0.59
Vielen Dank für Ihren Einkauf`,
  },
  {
    supplier: 'GREENLEAF PHARMACY',
    issue_date: '2022-03-02',
    total: '27.18',
    text: `GREENLEAF PHARMACY
1420 CONGRESS AVE, AUSTIN, TX
REG#12 TRN#4411 CSHR#1122 STR#8841
ExtraCare Card #: *********4412
1 VITAMIN C 500MG       12.99T
1 TOOTHPASTE             4.49T
1 BANDAGES               7.63T
4 ITEMS
SUBTOTAL                25.11
TX 8.25% TAX             2.07
TOTAL                   27.18
CHARGE                  27.18
************4421 RF
APPROVED# 093412
CHANGE                    .00
MARCH 2, 2022  6:14 PM
THANK YOU. SHOP 24 HOURS
Returns with receipt, subject to policy, thru 05/01/2022`,
  },
  {
    supplier: 'Bäckerei Hinterleitner',
    issue_date: '2024-02-09',
    total: '9.85',
    text: `Bäckerei Hinterleitner
Inh. Josef Hinterleitner
Linzer Straße 44, 4020 Linz
UID: ATU61234567
RECHNUNG
Re-Nr: 2024-00871  Kassa: 1
09.02.2024 07:52:11
2 Kornspitz a 1,25      2,50 B
1 Melange               4,10 B
1 Topfengolatsche       3,25 B
Summe EUR               9,85
Bar                    10,00
Retour                 -0,15
B 10%  Netto 8,95  USt 0,90
Kassen-ID: 12ab34
Wir freuen uns auf Ihren nächsten Besuch`,
  },
  {
    supplier: 'LE ZINC',
    issue_date: '2023-05-27',
    total: '17.60',
    text: `LE ZINC
SARL AU CAPITAL DE 8000 EUR
14 RUE DAGUERRE 75014 PARIS
01 43 22 18 27
27/05/23 13H42
TABLE 14   COUVERTS 2
  2 EXPRESSO        5.00
  1 CROQUE MONSIEUR 8.90
  1 PERRIER         3.70
TOTAL TTC    17.60 EUR
DONT TVA 10.00%  1.60
HT  16.00
CB            17.60
SERVICE COMPRIS 15%`,
  },
  {
    supplier: 'SUNRISE FUEL #118',
    issue_date: '2024-06-30',
    total: '48.07',
    text: `SUNRISE FUEL #118
9100 HWY 290 W
AUSTIN TX 78736
06/30/2024 11:20:44 PM
PUMP# 4
UNLEADED
GALLONS   13.735
PRICE/G   $3.500
FUEL TOTAL  $48.07
VISA
XXXXXXXXXXXX4421
APPROVED 093412
THANK YOU
HAVE A NICE DAY`,
  },
  {
    supplier: 'Supermercados Ribera',
    issue_date: '2022-11-03',
    total: '22.18',
    text: `Supermercados Ribera
C.I.F.: A46103834
Avda. Mediterráneo 12 - Castellón
03/11/22  20:15   Caja: 04
Tique: 118-4471
PAN MOLDE              1,45
QUESO TIERNO           6,20
MERLUZA FRESCA        11,33
YOGUR PACK 8           3,20
TOTAL COMPRA   EUR    22,18
Entregado: 30,00   Cambio: 7,82
IVA INCLUIDO
Base 4%  1,39 0,06
Base 10% 18,85 1,88
Gracias por su compra`,
  },
  {
    supplier: 'CAFFE CENTRALE',
    issue_date: '2023-10-12',
    total: '4.30',
    text: `CAFFE CENTRALE
di Bianchi Luca
Piazza Duomo 3 - Modena
P.IVA 03412580364
DOCUMENTO COMMERCIALE
di vendita o prestazione
CAPPUCCINO  10,00%  1,60
BRIOCHE     10,00%  1,50
CAFFE       10,00%  1,20
TOTALE COMPLESSIVO   4,30
DI CUI IVA           0,39
PAGAMENTO CONTANTE   5,00
RESTO                0,70
12/10/2023 08:11 DOC.N. 0441-0012`,
  },
  {
    supplier: 'Eetcafé De Zwaan',
    issue_date: '2024-08-02',
    total: '46.25',
    text: `Eetcafé De Zwaan
Markt 9, 5211 JX 's-Hertogenbosch
Tafel 12   Bon 00318
vr 02-08-2024  19:55
2 Saté               33,00
2 Cola                6,50
1 Dame blanche        6,75
Totaal              €46,25
BTW 9%               3,65
BTW 21%              0,34
Betaald: PIN        €46,25
Tot ziens!`,
  },
  {
    supplier: 'Westline Railways',
    issue_date: '2025-01-15',
    total: '64.30',
    text: `Westline Railways
TICKET RECEIPT
Bristol Temple Meads to London Paddington
Outward 15 JAN 25   Std Class
Issued 15 JAN 25 07:31
Ticket number 44718
Price       £64.30
Paid by Mastercard ending 4421
VAT at 0%`,
  },
  {
    supplier: 'Drogerie am Ring',
    issue_date: '2021-12-17',
    total: '17.05',
    text: `Drogerie am Ring
Ringstraße 4
97070 Würzburg
0931/4960182
17.12.2021 16:45 2345/1 118834/2 4471
ZAHNPASTA             0,95 1
DUSCHGEL 3x 0,85      2,55 1
WINDELN              13,55 1
SUMME EUR            17,05
VISA EUR            -17,05
MwSt-Satz Brutto Netto MwSt
1=19,00%  17,05 14,33 2,72
Payback-Punktestand bis 16.12.2021: 412`,
  },
  {
    supplier: 'ACE OF TOOLS',
    issue_date: '2022-10-08',
    total: '86.35',
    text: `ACE OF TOOLS
3901 PINE ST, BOISE ID
PHONE 208-555-0142
10/08/22  9:41AM  KIM  552  SALE
HAMMER 16OZ     1 EA   24.99
DECK SCREWS     2 BX   27.98
LEVEL 48IN      1 EA   28.49
SUB-TOTAL:  81.46   TAX:  4.89
                  TOTAL:  86.35
BC AMT:  86.35
BK CARD#: XXXXXXXXXXXX4421
AUTH: 093412
==>> JRNL#A44718
CUST NO: *5
Customer Copy`,
  },
  {
    supplier: 'PAK LONG TOMYAM',
    issue_date: '2019-07-19',
    total: '53.00',
    text: `PAK LONG TOMYAM
NO 4 JALAN KENARI 3
TEL 012-4471882
Invoice# 44718   Table 6
19-07-2019 08:44 PM
Tom Yam Seafood    1   22.00
Nasi Goreng        2   16.00
Telur Dadar        1    6.00
Teh O Ais          3    9.00
Subtotal               53.00
Rounding                0.00
Grand Total   RM       53.00
Thank you`,
  },
  {
    supplier: 'The Lamb & Flag',
    issue_date: '2024-03-23',
    total: '41.15',
    text: `The Lamb & Flag
22 Market Row, Norwich
VAT: 937 4502 11
23/03/24 20:18:44
Served by: Kim
Table: 31
2x Pie of the day      31.00
1x Ale pint             5.60
1x Lemonade             4.55
Total:                 £41.15
Card                   £41.15
VAT Summary
20%  34.29  6.86
Please leave us a review`,
  },
  {
    supplier: 'MAPLE & CO MARKET',
    issue_date: '2023-02-14',
    total: '31.62',
    text: `MAPLE & CO MARKET
220 Queen St W, Toronto ON
GST/HST# 81234 5678 RT0001
2023-02-14 5:08 PM
Oat milk            4.99
Salmon             18.49
Soap                4.50
SUBTOTAL           27.98
HST 13%             3.64
TOTAL        $31.62
INTERAC            31.62
Change              0.00
Thank you / Merci`,
  },
];
