import type { DocumentKind } from '../contract/report.contract.ts';

/** A paper as a stranger might write it, with its kind. Names and figures are invented. */
type KindPaper = readonly [kind: DocumentKind, language: string, text: string];

/** Papers of every kind in six languages. Their author had written the table of words before. */
export const KIND_PAPERS: readonly KindPaper[] = [
  [
    'reminder',
    'en',
    `Penrose Plumbing Ltd
14 Dock Road, Falmouth TR11 3XA

Mr J. Hollis
2 Fore Street
Truro TR1 2AA

9 June 2026

OVERDUE ACCOUNT - SECOND REMINDER

Dear Mr Hollis,
According to our records invoice 10442 of 2 April 2026 for £418.20 is now 38 days overdue.
Please let us have your payment within seven days. If you have already paid, ignore this letter.

Amount outstanding: £418.20
Yours sincerely
Carol Penrose`,
  ],
  [
    'reminder',
    'de',
    `Stadtwerke Mühltal GmbH
Frau Eva Lorenz, Gartenweg 3, 64367 Mühltal

2. Mahnung                                    Datum: 12.05.2026
Kundennummer: 700 4412

Sehr geehrte Frau Lorenz,
leider konnten wir zu unserer Rechnung 2026-3391 noch keinen Zahlungseingang feststellen.

Rechnungsbetrag     184,20 €
Mahngebühr            5,00 €
Gesamtbetrag        189,20 €

Bitte überweisen Sie den Betrag bis zum 26.05.2026.
Mit freundlichen Grüßen`,
  ],
  [
    'reminder',
    'fr',
    `Atelier Roussel SARL
Objet : Relance facture impayée F2026-0117

Madame, Monsieur,
Sauf erreur ou omission de notre part, le paiement de la facture F2026-0117 du 3 mars 2026, d'un montant de 1 240,00 € TTC,
ne nous est pas parvenu. Nous vous remercions de bien vouloir régulariser cette situation sous huit jours.
Veuillez agréer, Madame, Monsieur, nos salutations distinguées.`,
  ],
  [
    'reminder',
    'nl',
    `Bakker & Zonen B.V.
Betalingsherinnering

Factuurnummer 20260088 d.d. 1 maart 2026
Openstaand bedrag € 350,90
Geachte heer De Boer,
Volgens onze administratie is bovenstaande factuur nog niet voldaan. Wij verzoeken u het bedrag binnen 7 dagen over te maken.`,
  ],
  [
    'reminder',
    'it',
    `Officine Valli S.r.l.
Spett.le Ferri Costruzioni S.p.A.
Oggetto: sollecito di pagamento fattura n. 118 del 10/03/2026

Con la presente Vi segnaliamo che la fattura in oggetto, di importo pari a € 2.318,00 e scaduta il 10/04/2026, ad oggi risulta
ancora insoluta. Vi invitiamo a provvedere al saldo entro 10 giorni.
Distinti saluti`,
  ],
  [
    'reminder',
    'es',
    `Talleres Robledo S.L.
RECORDATORIO DE PAGO
Factura nº 2026/341, vencida el 15/04/2026. Importe pendiente: 612,30 €
Estimado cliente: le recordamos que a fecha de hoy no hemos recibido el pago de la factura indicada.
Rogamos efectúe la transferencia a la mayor brevedad.`,
  ],
  [
    'delivery_note',
    'en',
    `Northgate Timber Supplies
DELIVERY NOTE                      No. DN-55821
Deliver to: Marsh Joinery, Unit 4, Louth
Date: 14 May 2026   Driver: P. Wells

Qty  Description                 Price    Total
10   Oak board 2.4 m             £12.00   £120.00
15   Pine batten 1.8 m           £5.65    £84.75
                                 Total    £204.75
Received in good condition  Signed ____________`,
  ],
  [
    'delivery_note',
    'de',
    `Müller Baustoffe KG
Lieferschein Nr. L-20931
Lieferdatum 03.06.2026    Ihre Bestellung B-118
Pos  Artikel              Menge   Einheit
1    Zement 25 kg         40      Sack
2    Kies 8/16            2       t
Ware ordnungsgemäß erhalten: Unterschrift ______________`,
  ],
  [
    'delivery_note',
    'fr',
    `Ets Morel & Fils
BON DE LIVRAISON N° 4471
Date : 18/05/2026     Commande client : 8834
Réf      Désignation            Qté livrée
A12      Carrelage 30x30        120
B07      Colle 25 kg            6
Marchandise reçue en bon état. Signature et cachet du client :`,
  ],
  [
    'delivery_note',
    'it',
    `Caseificio Bruni S.n.c.
D.D.T. n. 812 del 04/06/2026
Documento di trasporto (D.P.R. 472/96)
Causale del trasporto: vendita     Aspetto esteriore dei beni: cartoni     Colli: 6
Parmigiano 24 mesi   kg 38
Firma del conducente            Firma del destinatario`,
  ],
  [
    'delivery_note',
    'es',
    `Distribuciones Alba S.L.
ALBARÁN Nº A-2231        Fecha 02/06/2026
Cliente: Bar La Plaza
Cant.  Descripción
12     Agua mineral 1,5 l
6      Refresco naranja
Recibí conforme:`,
  ],
  [
    'delivery_note',
    'nl',
    `Groothandel De Vries
PAKBON 88123
Afleveradres: Café Het Anker, Havenkade 2, Hoorn
Aantal   Omschrijving            Geleverd
24       Bronwater 0,5 l         24
Goederen in goede staat ontvangen door:`,
  ],
  [
    'delivery_note',
    'en',
    `BILL OF LADING
Shipper: Pacific Foods Inc     Consignee: Harbor Grocers LLC
Carrier: Blue Line Freight     Trailer number 5512
Number of packages 14 pallets   Weight 9,800 lbs
Carrier signature / pickup date`,
  ],
  [
    'statement',
    'en',
    `Fenland Feeds Ltd
Statement of Account          Statement date: 31 May 2026
Account: WILLOW FARM
Date        Reference    Debit     Credit    Balance
01/04/2026  Brought forward                  £210.00
12/04/2026  Inv 8812     £95.00              £305.00
20/04/2026  Payment                £210.00   £95.00
Current £95.00   30 days £0.00   60 days £0.00   90 days £0.00`,
  ],
  [
    'quotation',
    'nl',
    `Schildersbedrijf Jansen
Offerte nr. 2026-41
Geachte mevrouw Visser,
Hierbij ontvangt u onze prijsopgave voor het schilderwerk.
Buitenschilderwerk     € 2.400,00
BTW 9%                 €   216,00
Totaal                 € 2.616,00
Deze offerte is geldig tot 1 juli 2026. Voor akkoord:`,
  ],
  [
    'quotation',
    'es',
    `Reformas Sol S.L.
PRESUPUESTO Nº 77
Cliente: María López       Fecha: 3/05/2026
Pintura de vivienda     1.900,00 €
IVA 21 %                  399,00 €
Total                   2.299,00 €
Presupuesto válido durante 30 días`,
  ],
  [
    'quotation',
    'it',
    `Idraulica Conti
Preventivo n. 34 del 12/05/2026
Spett.le Condominio Aurora
Sostituzione caldaia      € 2.100,00
IVA 10%                   €   210,00
Totale preventivo         € 2.310,00
Offerta valida 60 giorni`,
  ],
  [
    'purchase_order',
    'en',
    `Meridian Radio Group
BOOKING ORDER        Order no. 40117
Agency: Finch Media        Advertiser: Brook Motors
Please supply the airtime below.
Spots 30     Rate $40.00     Total $1,200.00
Authorised by: L. Grant`,
  ],
  [
    'purchase_order',
    'de',
    `Hotel Seeblick GmbH
Bestellung Nr. 4500-221
Lieferant: Wäscherei Blank
Hiermit bestellen wir:
50  Handtuch weiß     4,20 €    210,00 €
Gesamt               210,00 €
Liefertermin: 20.06.2026`,
  ],
  [
    'invoice',
    'en',
    `Southern Light & Power
Your electricity bill                     Account number 4410 2291
Bill date: 2 May 2026
Meter reading this time 45210   last time 44890   320 kWh
Electricity used        £86.40
Standing charge         £14.20
VAT at 5%                £5.03
Total amount due       £105.63    Pay by 19 May 2026`,
  ],
  [
    'invoice',
    'fr',
    `Telora Mobile
Votre facture du 05/05/2026            N° de client 88 120 44
Ligne 06 12 34 56 78
Forfait 40 Go                   19,99 €
Communications hors forfait      2,40 €
Total HT                        18,66 €
TVA 20 %                         3,73 €
Montant à payer TTC             22,39 €
Prélèvement le 15/05/2026`,
  ],
  [
    'invoice',
    'it',
    `Enerluce S.p.A.
Bolletta dell'energia elettrica       Numero 2026/778812
Data emissione 04/05/2026     Scadenza 25/05/2026
Consumo 210 kWh
Spesa per la materia energia    48,20 €
IVA 10%                          4,82 €
Totale da pagare                53,02 €`,
  ],
  [
    'receipt',
    'en',
    `Hillside Yoga Studio
RECEIPT OF PAYMENT
Receipt no. 00817     Date: 3 May 2026
Received from: Ann Carter
For: 10 class pass     Amount: £95.00
Payment method: bank transfer
Paid in full with thanks`,
  ],
  [
    'receipt',
    'fr',
    `QUITTANCE DE LOYER
Je soussigné Paul Mercier, propriétaire du logement situé 8 rue des Lilas à Nantes, déclare avoir reçu de Mme Julie Petit la
somme de 720,00 € au titre du loyer et des charges pour le mois de mai 2026 et lui en donne quittance.
Loyer 650,00 €
Charges 70,00 €
Total 720,00 €`,
  ],
  [
    'bank_statement',
    'en',
    `Harbour Bank plc
Your current account statement       1 April to 30 April 2026
Sort code 20-11-44   Account number 33128841
Date     Details              Paid out   Paid in   Balance
1 Apr    Balance brought forward                    1,204.11
3 Apr    DD Council tax        142.00               1,062.11
28 Apr   Salary                          2,310.00   3,372.11`,
  ],
  [
    'bank_statement',
    'de',
    `Sparkasse Neustadt
Kontoauszug 5/2026          Konto DE02 1203 0000 0000 2020 51
Buchungstag  Wertstellung  Vorgang                      Betrag
02.05.       02.05.        Lastschrift Stadtwerke       -84,00
05.05.       05.05.        Gehalt                     2.410,00
Alter Kontostand 1.200,00    Neuer Kontostand 3.526,00`,
  ],
  [
    'bank_statement',
    'fr',
    `Crédit de l'Ouest
RELEVÉ DE COMPTE AU 31/05/2026
Titulaire : M. et Mme Garnier
Date   Opération                Débit     Crédit
Ancien solde au 30/04/2026                1 120,40
04/05  PRLV EDF                 62,10
12/05  VIR SALAIRE                        1 980,00
Nouveau solde au 31/05/2026               3 038,30`,
  ],
  [
    'bank_statement',
    'nl',
    `Deltabank
Rekeningafschrift nr. 5       Periode 01-05-2026 t/m 31-05-2026
Vorig saldo  € 812,00 bij     Nieuw saldo  € 1.944,10 bij
Datum   Naam/omschrijving            Bij/af    Bedrag
04-05   Huur mei                     Af        780,00
25-05   Salaris                      Bij     2.100,00`,
  ],
  [
    'bank_statement',
    'es',
    `Banco del Norte
Extracto de cuenta corriente     Mayo 2026
Saldo anterior 940,22
F. operación  F. valor   Concepto                 Importe    Saldo
03/05         03/05      Recibo luz               -58,40     881,82
28/05         28/05      Transferencia nómina   1.640,00   2.521,82`,
  ],
  [
    'bank_statement',
    'it',
    `Banca di Collina
ESTRATTO CONTO al 31/05/2026   Conto n. 1000/4412
Saldo iniziale 2.010,00
Data contabile  Data valuta  Descrizione           Dare     Avere
04/05           04/05        Bonifico affitto      650,00
27/05           27/05        Stipendio                      1.720,00
Saldo finale 3.080,00`,
  ],
  [
    'cheque',
    'en',
    `First Valley Bank                                 No. 001182
Date 5/11/2026
Pay to the order of  Greenfield Landscaping       $ 1,250.00
One thousand two hundred fifty and 00/100 dollars
Memo  spring work               R. Dalton`,
  ],
  [
    'cheque',
    'fr',
    `Banque du Littoral
Payez contre ce chèque non endossable   € 320,00
Trois cent vingt euros
à Garage du Port
À Brest   le 6 mai 2026`,
  ],
  [
    'payslip',
    'en',
    `Brightwell Care Ltd
PAY ADVICE            Month 2     Tax code 1257L
Employee: Sam Okoro   NI number QQ123456C
Payments              Deductions
Basic pay  2,150.00   PAYE tax 220.40
                      National insurance 110.06
Gross pay 2,150.00    Net pay 1,819.54`,
  ],
  [
    'payslip',
    'de',
    `Logistik Hansen GmbH
Abrechnung der Brutto/Netto-Bezüge für Mai 2026
Personalnummer 0041   Steuerklasse 1   Konfession --
Bruttolohn              3.100,00
Lohnsteuer                402,50
Krankenversicherung       251,10
Rentenversicherung        288,30
Auszahlungsbetrag       2.118,20`,
  ],
  [
    'payslip',
    'fr',
    `BULLETIN DE PAIE     Période du 01/05/2026 au 31/05/2026
Employeur : Boulangerie Petit     Salarié : Léa Martin
Emploi : vendeuse      Convention collective : boulangerie
Salaire de base   151,67   12,02   1 823,07
Sécurité sociale maladie
Net à payer avant impôt sur le revenu 1 442,18`,
  ],
  [
    'payslip',
    'it',
    `CEDOLINO PAGA       Mese di retribuzione: maggio 2026
Azienda: Pastificio Riva S.r.l.      Dipendente: Luca Neri
Paga base 1.680,00    Contributi INPS 154,39
IRPEF netta 210,10     TFR maturato 118,20
NETTO DEL MESE 1.315,51`,
  ],
  [
    'payslip',
    'es',
    `Recibo individual justificativo del pago de salarios
Empresa: Panadería Luz S.L.     Trabajador: Ana Gil
I. DEVENGOS   Salario base 1.350,00
II. DEDUCCIONES  Contingencias comunes 63,45   IRPF 8 % 108,00
LÍQUIDO TOTAL A PERCIBIR 1.178,55`,
  ],
  [
    'payslip',
    'nl',
    `Salarisspecificatie periode 5 2026
Werkgever: Bouwbedrijf Smit     Werknemer: K. de Jong
Brutoloon 2.900,00
Loonheffing 512,00
Pensioenpremie 140,00
Netto uitbetaald 2.248,00`,
  ],
  [
    'lease',
    'it',
    `CONTRATTO DI LOCAZIONE AD USO ABITATIVO
Il Sig. Aldo Berti, locatore, concede in locazione alla Sig.ra Paola Ricci, conduttrice, l'appartamento sito in Bologna.
La durata è di anni quattro. Il canone annuo è di € 8.400,00. Il conduttore versa un deposito cauzionale di € 1.400,00.`,
  ],
  [
    'lease',
    'nl',
    `HUUROVEREENKOMST WOONRUIMTE
Verhuurder: P. Mulder. Huurder: S. Bakker.
Het gehuurde: Kerkstraat 8 te Zwolle. De huurprijs bedraagt € 950,00 per maand. Waarborgsom € 1.900,00.`,
  ],
  [
    'contract',
    'en',
    `CONSULTANCY AGREEMENT
This agreement is made on 4 May 2026 between Alder Works Ltd (the Client) and Jane Reed (the Consultant).
1. The Consultant shall provide the services in Schedule 1.
2. Either party may terminate on 30 days' written notice.
3. This agreement is governed by the laws of England.`,
  ],
  [
    'contract',
    'de',
    `Arbeitsvertrag
zwischen der Kern Metallbau GmbH (nachfolgend Arbeitgeber) und Herrn Tim Vogt (nachfolgend Arbeitnehmer)
§ 1 Beginn und Tätigkeit
§ 2 Arbeitszeit
§ 3 Vergütung: 3.200 € brutto monatlich
§ 7 Kündigung
Gerichtsstand ist Hagen.`,
  ],
  [
    'contract',
    'fr',
    `CONTRAT DE TRAVAIL À DURÉE INDÉTERMINÉE
Entre les soussignés : la société Nova SAS, et M. Hugo Blanc, il a été convenu ce qui suit :
Article 1 - Engagement
Article 2 - Rémunération : 2 400 € brut mensuel
Article 5 - Préavis`,
  ],
  [
    'contract',
    'es',
    `CONTRATO DE COMPRAVENTA DE VEHÍCULO
REUNIDOS: de una parte D. Juan Vega, como vendedor; de otra, Dña. Eva Ruiz, como compradora.
EXPONEN que el vendedor es propietario del vehículo. CLÁUSULAS: Primera. Precio: 6.200 €.`,
  ],
  [
    'terms',
    'de',
    `Allgemeine Geschäftsbedingungen der Radhaus GmbH
§ 1 Geltungsbereich
§ 2 Vertragsschluss
§ 3 Preise und Versandkosten
§ 4 Widerrufsrecht für Verbraucher
§ 5 Gewährleistung`,
  ],
  [
    'terms',
    'fr',
    `Conditions générales de vente
Article 1 : Objet. Les présentes conditions régissent les ventes de la boutique en ligne.
Article 2 : Prix. Article 3 : Commandes. Article 4 : Droit de rétractation. Article 5 : Garanties.`,
  ],
  [
    'policy',
    'de',
    `Datenschutzerklärung
Verantwortlicher im Sinne der DSGVO ist die Radhaus GmbH. Wir verarbeiten personenbezogene Daten, wenn Sie unsere Seite besuchen.
Cookies. Ihre Rechte. Speicherdauer.`,
  ],
  [
    'policy',
    'en',
    `Remote Working Policy
Purpose: this policy explains how employees may work from home. Scope: all staff. Responsibilities: line managers approve.`,
  ],
  [
    'letter',
    'en',
    `3 Mill Cottages
Otley
12 May 2026

Dear Sir or Madam,
I am writing to ask about the footpath behind the mill, which has been closed since March.
I look forward to hearing from you.
Yours faithfully,
Ruth Dale`,
  ],
  [
    'letter',
    'es',
    `Valencia, 4 de mayo de 2026
Estimada señora Torres:
Le escribo para comunicarle mi baja voluntaria en la asociación con efecto desde el 1 de junio.
Reciba un cordial saludo,
Pedro Sanz`,
  ],
  [
    'letter',
    'it',
    `Gentile dottoressa Fabbri,
La ringrazio per il colloquio di lunedì. Le invio in allegato i documenti richiesti.
Cordiali saluti,
Marta Greco`,
  ],
  [
    'letter',
    'nl',
    `Geachte heer Van Dam,
Hierbij zeg ik mijn lidmaatschap op per 1 juli 2026. Graag ontvang ik een bevestiging.
Met vriendelijke groet,
Joost Kok`,
  ],
  [
    'minutes',
    'de',
    `Protokoll der Mitgliederversammlung vom 3. Mai 2026
Anwesend: 24 Mitglieder. Leitung: H. Brand. Protokollführer: S. Kurz.
TOP 1 Begrüßung
TOP 2 Bericht des Vorstands
TOP 3 Beschluss über den Beitrag: einstimmig angenommen.`,
  ],
  [
    'minutes',
    'fr',
    `Procès-verbal de l'assemblée générale du 12 mai 2026
Présents : 18 membres. Excusés : 4.
Ordre du jour : 1. Rapport moral 2. Budget 3. Divers
La séance est levée à 21 h.`,
  ],
  [
    'minutes',
    'it',
    `Verbale di assemblea condominiale
L'anno 2026 il giorno 8 maggio si è riunita l'assemblea. Presenti: 12 condomini. Ordine del giorno: 1) bilancio 2) lavori al tetto.
Il presidente dichiara chiusa la seduta alle ore 22.`,
  ],
  [
    'minutes',
    'nl',
    `Notulen teamoverleg 6 mei 2026
Aanwezig: Kim, Bart, Els. Afwezig: Jan.
1. Opening  2. Actiepunten vorige keer  3. Planning  4. Rondvraag`,
  ],
  [
    'minutes',
    'es',
    `ACTA DE LA REUNIÓN DEL CONSEJO
Asistentes: 9. Orden del día: 1. Aprobación del acta anterior 2. Presupuesto.
Acuerdos: se aprueba por unanimidad. Se levanta la sesión a las 20:00.`,
  ],
  [
    'cv',
    'en',
    `Priya Nair
Data analyst, Leeds
priya@example.com

Profile
Analyst with six years in retail.

Experience
2021-2026 Analyst, Northmart
Education
BSc Statistics, York
Skills
SQL, Python
Languages
English, Malayalam`,
  ],
  [
    'cv',
    'de',
    `Lebenslauf
Persönliche Daten: Jonas Frey, geboren am 4. April 1994
Berufserfahrung: seit 2020 Elektroniker bei Stark GmbH
Ausbildung: 2013-2016 Lehre
Kenntnisse: SPS, Englisch`,
  ],
  [
    'cv',
    'fr',
    `Camille Aubert
Assistante de direction
EXPÉRIENCES PROFESSIONNELLES
2019-2026 Assistante, Cabinet Lenoir
FORMATION
BTS, Lyon
LANGUES
Anglais courant
CENTRES D'INTÉRÊT
Escalade`,
  ],
  [
    'cv',
    'it',
    `Giulia Serra
ESPERIENZA LAVORATIVA
2018-2026 Cuoca, Trattoria Rosa
ISTRUZIONE E FORMAZIONE
Diploma alberghiero
COMPETENZE LINGUISTICHE
Madrelingua italiano`,
  ],
  [
    'cv',
    'nl',
    `CURRICULUM VITAE
Personalia: Tom Peeters, Breda
Werkervaring: 2017-heden monteur
Opleidingen: MBO techniek
Vaardigheden: lassen`,
  ],
  [
    'cv',
    'es',
    `Laura Campos
Experiencia laboral
2016-2026 Enfermera, Hospital Sur
Formación académica
Grado en Enfermería
Idiomas
Inglés B2`,
  ],
  [
    'certificate',
    'en',
    `CERTIFICATE OF COMPLETION
This is to certify that
Owen Pratt
has successfully completed the course First Aid at Work
12 May 2026`,
  ],
  [
    'certificate',
    'de',
    `Teilnahmebescheinigung
Frau Nina Roth hat vom 4. bis 6. Mai 2026 an der Fortbildung Brandschutz teilgenommen.
Ort, Datum, Unterschrift`,
  ],
  [
    'certificate',
    'fr',
    `ATTESTATION D'ASSURANCE SCOLAIRE
Nous soussignés, Mutuelle du Rhône, attestons que l'enfant Tom Girard est assuré pour l'année 2026.
Fait pour servir et valoir ce que de droit.`,
  ],
  [
    'certificate',
    'it',
    `ATTESTATO DI FREQUENZA
Si attesta che il sig. Dario Poli ha frequentato il corso sulla sicurezza per un totale di 12 ore.`,
  ],
  [
    'certificate',
    'es',
    `CERTIFICADO DE EMPADRONAMIENTO
El secretario del Ayuntamiento certifica que Dña. Rosa Gil figura inscrita en el padrón municipal. Y para que conste, se expide.`,
  ],
  [
    'prescription',
    'en',
    `Dr A. Shah, Riverside Surgery
Patient: Mark Lee   DOB 02/03/1980
Rx  Amoxicillin 500 mg capsules
Sig: take one capsule three times daily for 7 days
Refills: 0`,
  ],
  [
    'prescription',
    'de',
    `Praxis Dr. med. Weber, Hausarzt
Rezept
Patient: Karl Brandt, geb. 11.02.1950
Ramipril 5 mg Tabletten N3   1-0-0
Metformin 850 mg   1-0-1`,
  ],
  [
    'prescription',
    'fr',
    `Docteur Claire Noël, médecin généraliste
ORDONNANCE
Paracétamol 1 g : un comprimé matin, midi et soir pendant 5 jours
Amoxicilline 500 mg : une gélule trois fois par jour`,
  ],
  [
    'prescription',
    'it',
    `Dott. Paolo Ferri, medico chirurgo
Sig.ra Anna Villa
Augmentin 1 g compresse: una compressa due volte al giorno dopo i pasti per 6 giorni`,
  ],
  [
    'medical_report',
    'de',
    `Klinikum Nord, Innere Medizin
Sehr geehrter Herr Kollege,
wir berichten über Ihren Patienten Herrn Otto Lang, der vom 2. bis 6. Mai 2026 in unserer stationären Behandlung war.
Diagnosen: arterielle Hypertonie. Anamnese: seit zwei Tagen Schwindel. Befund: RR 170/95. Therapie: Ramipril.
Mit freundlichen kollegialen Grüßen`,
  ],
  [
    'medical_report',
    'en',
    `CITY LABORATORY
Patient: H. Moss        Specimen: blood
Test               Result   Flag   Reference range
Glucose            7.9      HIGH   3.9 - 5.5 mmol/L
HbA1c              6.8      HIGH   < 5.7 %
Hemoglobin         13.9            13.0 - 17.0 g/dL`,
  ],
  [
    'medical_report',
    'fr',
    `COMPTE RENDU D'HOSPITALISATION
Motif d'hospitalisation : douleur thoracique. Antécédents : diabète. Examen clinique : normal. Traitement de sortie : aspirine.`,
  ],
  [
    'medical_report',
    'es',
    `INFORME DE ALTA
Motivo de consulta: fiebre. Antecedentes: sin interés. Exploración física: normal. Diagnóstico: gripe. Tratamiento: reposo.`,
  ],
  [
    'form',
    'en',
    `MEMBERSHIP APPLICATION
Please print clearly
Surname ______________  First name ______________
Address ______________________________
Date of birth (YYYY-MM-DD) ____________
I agree to the rules. Signature ______________`,
  ],
  [
    'form',
    'de',
    `Antrag auf Elternzeit
Name, Vorname: ....................
Geburtsdatum: ....................
Zutreffendes bitte ankreuzen: ☐ ganz ☐ teilweise ☐ ja ☐ nein
Ort, Datum, Unterschrift ....................`,
  ],
  [
    'form',
    'it',
    `MODULO DI ISCRIZIONE
Il/La sottoscritto/a ____________ nato/a a ____________ il ________
residente in ____________ chiede di essere iscritto al corso.
Firma ____________`,
  ],
  [
    'form',
    'nl',
    `Aanmeldformulier zwemles
Naam kind: __________ Geboortedatum: __________
Invullen in blokletters. Aankruisen wat van toepassing is. Handtekening ouder: __________`,
  ],
  [
    'report',
    'en',
    `Warehouse inventory report
Prepared for the management board, May 2026
Executive summary
Stock fell by four per cent. This report lists the findings and our recommendations.
Findings
Recommendations`,
  ],
  [
    'report',
    'fr',
    `Rapport d'activité 2025
Synthèse
L'association a accueilli 412 familles. Ce rapport présente les résultats et nos recommandations.
Conclusion`,
  ],
  [
    'report',
    'de',
    `Jahresbericht 2025 des Fördervereins
Zusammenfassung
Der Verein hat 31 Projekte gefördert. Dieser Bericht stellt die Ergebnisse vor.
Fazit`,
  ],
  [
    'paper',
    'en',
    `Small Models for Tidal Forecasts
Abstract
We show that small models forecast tides as well as large ones [1, 2]. Keywords: tides, forecasts
1 Introduction
Tides were modelled by Smith et al. [3] and others [4].
5 Conclusions
References
[1] J. Smith, Proceedings of the Tidal Workshop.`,
  ],
  [
    'manual',
    'en',
    `EasyBrew 200 Coffee Machine
User Guide
Safety instructions
Read these instructions before using the appliance.
Descaling
Press the button for five seconds.
Troubleshooting`,
  ],
  [
    'manual',
    'de',
    `Waschmaschine WM 7 - Bedienungsanleitung
Sicherheitshinweise
Inbetriebnahme
Drücken Sie die Taste Start.
Störungen beheben
Technische Daten`,
  ],
  [
    'manual',
    'es',
    `Manual de instrucciones - Horno H40
Advertencias de seguridad
Puesta en marcha
Pulse el botón de encendido.
Solución de problemas`,
  ],
  [
    'manual',
    'nl',
    `Gebruiksaanwijzing fietscomputer
Veiligheidsinstructies
Druk op de knop om het menu te openen.
Problemen oplossen`,
  ],
  ['other', 'en', 'The harbour wall is rebuilt in spring. We met on Monday and looked at the wall.'],
  ['other', 'de', 'Apfelkuchen: 200 g Mehl, 3 Eier, 4 Äpfel. Den Teig rühren und 40 Minuten backen.'],
  [
    'other',
    'fr',
    "La mer était calme ce matin-là. Les bateaux rentraient au port et l'on entendait les cloches.",
  ],
];
