import type { DocumentKind } from '../contract/report.contract.ts';

/** The words of a kind of document in English, German, French, Italian, Spanish and Dutch, folded and separated by bars. */
export interface KindWords {
  /** Titles. `*` at an end stands for any letters. */
  readonly titles: string;
  /** Phrases that hardly any other kind has. */
  readonly strong: string;
  /** Words that are usual in the kind, and that other kinds have too. */
  readonly usual: string;
}

/** Words by kind. A text is compared without case, accents and signs. */
export const KIND_WORDS: Readonly<Record<Exclude<DocumentKind, 'other'>, KindWords>> = {
  invoice: {
    titles: `invoice|tax invoice|vat invoice|sales invoice|commercial invoice|final invoice|bill|electricity bill|gas bill|
      energy bill|water bill|phone bill|telephone bill|mobile bill|utility bill|your bill|rechnung|*rechnung|
      *kostenabrechnung|*verbrauchsabrechnung|jahresabrechnung|facture|votre facture|facture d electricite|facture de gaz|
      facture d acompte|note d honoraires|factuur|*factuur|jaarafrekening|eindafrekening|termijnnota|factura|
      factura de luz|su factura|fattura|fattura accompagnatoria|bolletta|bolletta luce|bolletta gas|parcella|e invoice`,
    strong: `invoice number|invoice no|invoice date|rechnungsnummer|rechnungsdatum|numero de facture|date de facture|
      factuurnummer|factuurdatum|numero de factura|fecha de factura|numero fattura|data fattura|kwh|meter reading|
      current charges|billing period|standing charge|generation charges|delivery charges|previous balance|
      zahlerstand|meterstand|lectura del contador|lettura contatore|releve de compteur`,
    usual: `amount due|balance due|total due|payment terms|due date|zahlbar|falligkeit|net a payer|echeance|vervaldatum|
      vencimiento|scadenza|subtotal|mwst|tva|btw|iva|vat`,
  },
  credit_note: {
    titles: `credit note|credit memo|credit invoice|gutschrift|rechnungskorrektur|korrekturrechnung|stornorechnung|avoir|
      facture d avoir|note de credit|creditnota|creditfactuur|nota de credito|nota de abono|factura rectificativa|
      nota di credito|nota di accredito`,
    strong: `credit note number|credit note no|gutschriftsnummer|gutschrift nr|numero d avoir|creditnotanummer|
      wir schreiben ihnen gut|has been credited`,
    usual: 'credited|refund|gutgeschrieben|erstattung|remboursement|terugbetaling|reembolso|rimborso',
  },
  receipt: {
    titles: `receipt|payment receipt|sales receipt|cash receipt|official receipt|quittung|kassenbon|kassenbeleg|zahlungsbeleg|
      spendenquittung|recu|recu de paiement|ticket de caisse|quittance|quittance de loyer|kassabon|betaalbewijs|kwitantie|
      recibo|recibo de pago|ticket de compra|ricevuta|ricevuta di pagamento|scontrino|scontrino fiscale|proof of payment`,
    strong: `received with thanks|received from|betrag dankend erhalten|amount paid|date paid|payment method|paid on|
      zahlung erhalten|somme de|montant paye|importo pagato|importe pagado|bedrag ontvangen`,
    usual: 'cash|change|card payment|cashier|till|visa|mastercard|bar|paid',
  },
  reminder: {
    titles: `reminder|payment reminder|final reminder|first reminder|second reminder|overdue notice|past due notice|
      final notice|final demand|late payment notice|mahnung|1 mahnung|2 mahnung|3 mahnung|letzte mahnung|*mahnung|
      zahlungserinnerung|rappel|rappel de paiement|lettre de relance|relance|mise en demeure|betalingsherinnering|
      herinnering|aanmaning|sollecito|sollecito di pagamento|sollecito pagamento|recordatorio de pago|reclamacion de pago|
      aviso de pago|1st reminder|2nd reminder|premier rappel|deuxieme rappel|dernier rappel|dunning letter`,
    strong: `is now overdue|are now overdue|remains unpaid|remain unpaid|not yet received your payment|
      have not received payment|mahngebuhr*|verzugszinsen|zahlungsverzug|noch nicht beglichen|keinen zahlungseingang|
      offener betrag|offene forderung|reste impayee|demeure impayee|sauf erreur|impayee|frais de relance|
      nog niet ontvangen|niet voldaan|openstaand bedrag|aanmaningskosten|non ancora pagata|non risulta pagata|
      risulta insoluta|insoluta|pendiente de pago|no hemos recibido|interessi di mora|factura vencida|late fee`,
    usual:
      'overdue|outstanding|uberfallig|retard|te laat|scaduta|impagada|ignore this|gegenstandslos|days overdue',
  },
  delivery_note: {
    titles: `delivery note|delivery docket|dispatch note|despatch note|packing slip|packing list|goods delivered|consignment note|
      waybill|air waybill|bill of lading|proof of delivery|lieferschein|ladeschein|packliste|frachtbrief|warenbegleitschein|
      bon de livraison|bordereau de livraison|lettre de voiture|liste de colisage|bordereau d expedition|connaissement|
      pakbon|leverbon|vrachtbrief|leveringsbon|afleverbon|albaran|albaran de entrega|nota de entrega|carta de porte|
      conocimiento de embarque|documento di trasporto|ddt|bolla di consegna|bolla di accompagnamento|lettera di vettura`,
    strong: `delivery note no|delivery note number|lieferscheinnummer|lieferschein nr|received in good condition|
      ware ordnungsgemass erhalten|ware erhalten|marchandise recue|recu en bon etat|goederen ontvangen|
      in goede staat ontvangen|mercancia recibida|recibi conforme|recibido conforme|merce ricevuta|causale del trasporto|
      aspetto esteriore dei beni|vettore|shipper|consignee|carrier|qty delivered|quantity shipped|qty shipped|geliefert`,
    usual: `ship to|shipped|delivered by|received by|driver|weight|packages|pallets|colli|gewicht|versandart|lieferdatum|
      empfangen|transporteur|poids|colis|livre le|chauffeur|bultos|peso|transportista|geleverd|ontvangen door|
      destinatario|trasporto|consegna|signature|unterschrift`,
  },
  quotation: {
    titles: `quotation|quote|price quotation|estimate|cost estimate|offer|proposal|proforma|proforma invoice|pro forma|
      angebot|*angebot|offerte|kostenvoranschlag|devis|proposition commerciale|offre de prix|prijsopgave|presupuesto|
      cotizacion|oferta|factura proforma|preventivo|offerta|offerta commerciale|proforma rechnung`,
    strong: `quotation no|quote number|quote no|valid until|valid for|offer is valid|quote valid|angebotsnummer|gultig bis|
      angebot gilt|freibleibend|bon pour accord|devis valable|validite du devis|validite de l offre|offertenummer|
      geldig tot|deze offerte is geldig|presupuesto valido|valido hasta|validez de la oferta|validez del presupuesto|
      validita dell offerta|offerta valida|preventivo valido|we are pleased to offer|we are pleased to quote|
      gerne bieten wir ihnen an|bieten wir ihnen`,
    usual:
      'unit price|accept|acceptance|einzelpreis|prix unitaire|precio unitario|prezzo unitario|akkoord|delivery time|lieferzeit',
  },
  purchase_order: {
    titles: `purchase order|order|order form|order confirmation|booking order|insertion order|work order|sales order|
      bestellung|bestellschein|auftragsbestatigung|bestellbestatigung|auftrag|bon de commande|commande|
      confirmation de commande|bestelbon|inkooporder|opdrachtbevestiging|orderbevestiging|bestelling|orden de compra|
      pedido|pedido de compra|confirmacion de pedido|ordine|ordine d acquisto|ordine di acquisto|conferma d ordine|
      booking confirmation|reservation confirmation|buchungsbestatigung`,
    strong: `po number|po no|purchase order no|purchase order number|order number|please supply|bestellnummer|wir bestellen|
      hiermit bestellen|auftragsnummer|numero de commande|nous vous commandons|bestelnummer|wij bestellen|
      numero de pedido|numero ordine|ordine n|order date|bestelldatum|date de commande|fecha de pedido|data ordine`,
    usual:
      'deliver to|delivery date|liefertermin|ship via|leverdatum|authorised by|authorized by|requested by|vendor|buyer',
  },
  statement: {
    titles: `statement|statement of account|account statement|customer statement|monthly statement|statement of accounts|
      kontoubersicht|offene posten|offene posten liste|saldenbestatigung|releve de factures|releve de compte client|
      rekeningoverzicht|openstaande posten|estado de cuenta|extracto de cliente|estratto conto cliente|
      situazione contabile|partitario`,
    strong: `balance forward|brought forward|aged balance|over 90 days|61 90 days|31 60 days|statement date|
      total outstanding|balance outstanding|current 30 days|saldovortrag|offene posten|solde anterieur|
      amount enclosed|account summary`,
    usual: 'invoice|payment|balance|current|1 30 days|30 days|60 days|90 days|rechnung|facture|saldo|solde',
  },
  bank_statement: {
    titles: `bank statement|account statement|current account statement|statement of account|credit card statement|
      kontoauszug|bankauszug|umsatzubersicht|kreditkartenabrechnung|releve de compte|releve bancaire|releve de comptes|
      extrait de compte|rekeningafschrift|bankafschrift|dagafschrift|extracto bancario|extracto de cuenta|
      extracto de movimientos|estratto conto|estratto conto bancario|lista movimenti`,
    strong: `opening balance|closing balance|sort code|paid in|paid out|money in|money out|direct debit|standing order|
      alter saldo|alter kontostand|neuer saldo|neuer kontostand|buchungstag|wertstellung|valuta|haben soll|
      ancien solde|nouveau solde|solde crediteur|solde debiteur|date valeur|date de valeur|prelevement|beginsaldo|eindsaldo|
      nieuw saldo|vorig saldo|rentedatum|saldo inicial|saldo final|saldo anterior|fecha valor|f valor|f operacion|saldo precedente|saldo iniziale|saldo finale|
      data valuta|data contabile|withdrawals|deposits|account number`,
    usual: `balance|transactions|debit|credit|iban|bic|kontostand|lastschrift|uberweisung|gutschrift|virement|credit|
      bij|af|af bij|movimientos|cargo|abono|movimenti|dare|avere|bonifico|bank`,
  },
  cheque: {
    titles:
      'cheque|check|cashier s check|bank draft|scheck|verrechnungsscheck|cheque bancaire|cheque bancario|assegno|assegno bancario|assegno circolare',
    strong: `pay to the order of|pay against this cheque|or order|or bearer|account payee|payable at|void after|
      zahlen sie gegen diesen scheck|oder uberbringer|payez contre ce cheque|payez contre ce cheque non endossable|
      non endossable|a l ordre de|betaal tegen deze cheque|paguese por este cheque|paguese a la orden de|pagate per questo assegno|
      a vista pagate|non trasferibile`,
    usual: 'dollars|memo|date|bank|signature|authorized signature|somme de|euro|cents|no',
  },
  payslip: {
    titles: `payslip|pay slip|pay stub|salary slip|wage slip|earnings statement|payroll statement|pay advice|salary statement|
      gehaltsabrechnung|lohnabrechnung|entgeltabrechnung|verdienstabrechnung|bezugeabrechnung|gehaltsnachweis|
      lohn und gehaltsabrechnung|abrechnung der brutto netto bezuge|brutto netto abrechnung|lohnausweis|bulletin de paie|
      bulletin de salaire|fiche de paie|fiche de salaire|loonstrook|salarisstrook|salarisspecificatie|loonstrookje|
      loonspecificatie|nomina|recibo de salarios|recibo de nomina|recibo individual justificativo del pago de salarios|
      busta paga|cedolino|cedolino paga|prospetto paga|statement of earnings`,
    strong: `net pay|gross pay|national insurance|paye|employee id|employee number|employee no|pay period|ytd|year to date|
      basic salary|tax code|steuerklasse|lohnsteuer|bruttolohn|nettolohn|auszahlungsbetrag|sozialversicherung|
      gesamtbrutto|steuerbrutto|personalnummer|rentenversicherung|solidaritatszuschlag|salaire brut|salaire de base|
      net imposable|net a payer avant impot|cotisations|cotisations salariales|securite sociale|conges payes|convention collective|
      brutoloon|bruto loon|nettoloon|netto loon|loonheffing|loonbelasting|vakantiegeld|vakantietoeslag|salario base|
      liquido a percibir|total devengado|total devengos|total a deducir|retencion irpf|seguridad social|
      retribuzione|netto in busta|irpef|inps|tfr|paga base|ritenute|contributi|netto a pagare|trattenute`,
    usual:
      'employee|employer|deductions|earnings|arbeitgeber|mitarbeiter|brutto|netto|salarie|employeur|werknemer|werkgever|trabajador|empresa|dipendente|azienda|salary|hours',
  },
  lease: {
    titles: `tenancy agreement|assured shorthold tenancy agreement|lease|lease agreement|rental agreement|residential lease|
      commercial lease|sublease|*mietvertrag|mietvereinbarung|pachtvertrag|contrat de bail|bail|contrat de location|
      bail d habitation|bail commercial|bail de location|huurovereenkomst|huurcontract|*huurovereenkomst|
      contrato de arrendamiento|contrato de alquiler|contratto di locazione|contratto d affitto|contratto di affitto`,
    strong: `landlord|tenant|lessor|lessee|vermieter*|mieter*|mietsache|mietverhaltnis|bailleur|locataire|preneur|verhuurder|huurder|
      arrendador|arrendatari*|locatore|conduttore|locatario|mietzins|kaltmiete`,
    usual: `rent|deposit|premises|miete|kaution|nebenkosten|loyer|depot de garantie|charges|huurprijs|waarborgsom|borg|renta|
      fianza|canone|cauzione|deposito cauzionale|property|term|landlords|tenants`,
  },
  contract: {
    titles: `agreement|contract|*agreement|service agreement|employment contract|employment agreement|sales contract|
      loan agreement|non disclosure agreement|confidentiality agreement|nda|purchase agreement|
      vertrag|*vertrag|vereinbarung|*vereinbarung|contrat|contrat de travail|contrat de vente|contrat de prestation*|
      convention|accord|protocole d accord|overeenkomst|*overeenkomst|contract van*|contrato|contrato de*|acuerdo|convenio|
      contratto|contratto di*|accordo|scrittura privata|deed|memorandum of understanding|statement of work|power of attorney`,
    strong: `this agreement|either party|the parties shall|dieser vertrag|dieses vertrag*|present contrat|presente contratto|
      presente contrato|deze overeenkomst|hereinafter|whereas|in witness whereof|governing law|the parties agree|force majeure|severability|
      entire agreement|vertragsparteien|nachfolgend|gerichtsstand|salvatorische klausel|vertragsgegenstand|ci apres|
      les parties|entre les soussignes|il a ete convenu|droit applicable|hierna|hierna te noemen|de ondergetekenden|
      partijen|komen overeen|toepasselijk recht|en adelante|las partes|reunidos|exponen|clausulas|di seguito|
      le parti|si conviene|premesso che|foro competente|between the parties|is made between`,
    usual: `shall|termination|liability|confidential*|indemnif*|kundig*|haftung|vertraulich*|laufzeit|resili*|
      responsabilite|confidentialite|duree|opzeg*|aansprakelijk*|vertrouwelijk*|looptijd|rescision|resolucion|
      responsabilidad|confidencial*|duracion|recesso|risoluzione|responsabilita|riservatezza|durata|hereby|article 1`,
  },
  terms: {
    titles: `terms and conditions|general terms and conditions|terms of service|terms of use|terms of sale|terms of business|
      terms of supply|supplier terms|standard terms|conditions of sale|end user license agreement|licence agreement|
      agb|allgemeine geschaftsbedingungen|allgemeine *bedingungen|nutzungsbedingungen|*bedingungen|
      conditions generales|conditions generales de vente|conditions generales d utilisation|cgv|cgu|algemene voorwaarden|
      gebruiksvoorwaarden|leveringsvoorwaarden|*voorwaarden|condiciones generales|condiciones de uso|terminos y condiciones|
      terminos de uso|condizioni generali|condizioni generali di vendita|condizioni d uso|termini e condizioni|
      termini di servizio`,
    strong: `these terms|these conditions|terms of business|terms of sale|diese bedingungen|geltungsbereich|diese agb|
      les presentes conditions|presentes conditions|deze voorwaarden|toepasselijkheid|estas condiciones|presentes condiciones|
      le presenti condizioni|presenti condizioni|widerrufsrecht|droit de retractation|herroepingsrecht|
      derecho de desistimiento|diritto di recesso|these terms and conditions`,
    usual:
      'liability|warranty|haftung|gewahrleistung|responsabilite|garantie|aansprakelijkheid|responsabilidad|garantia|responsabilita|garanzia|user|customer|governing law',
  },
  policy: {
    titles: `policy|*policy|privacy policy|privacy notice|cookie policy|security policy|data protection policy|code of conduct|
      acceptable use policy|insurance policy|datenschutzerklarung|datenschutzhinweise|richtlinie|*richtlinie|
      versicherungsschein|versicherungspolice|verhaltenskodex|politique de confidentialite|politique de*|charte|
      police d assurance|privacybeleid|privacyverklaring|beleid|*beleid|gedragscode|politica de privacidad|politica de*|
      codigo de conducta|poliza|poliza de seguro|informativa privacy|informativa sulla privacy|codice etico|politica *|polizza`,
    strong: `this policy|personal data|data controller|data subject|personenbezogene daten|verantwortlicher|dsgvo|gdpr|
      donnees personnelles|rgpd|persoonsgegevens|avg|datos personales|responsable del tratamiento|dati personali|
      titolare del trattamento|policyholder|sum insured|versicherungsnehmer|versicherungssumme`,
    usual:
      'employees|compliance|cookies|third parties|dritte|tiers|derden|terceros|terzi|responsibilities|scope',
  },
  letter: {
    titles:
      'cover letter|letter of*|anschreiben|bewerbung|kundigung|kundigung*|brief|lettre de*|lettera di*|carta de*|resignation',
    strong: `dear sir|dear madam|dear sirs|dear mr|dear mrs|dear ms|dear dr|dear customer|dear all|dear|to whom it may concern|
      sehr geehrte*|liebe frau|lieber herr|liebe kolleg*|madame monsieur|chere madame|cher monsieur|chers*|monsieur|
      madame|geachte|beste|estimad*|muy senor*|gentile|egregio|spettabile|gentili|
      yours sincerely|yours faithfully|yours truly|kind regards|best regards|sincerely|respectfully|mit freundlichen gruss*|
      mit besten grussen|hochachtungsvoll|freundliche grusse|viele grusse|cordialement|veuillez agreer|salutations distinguees|sinceres salutations|
      je vous prie d agreer|met vriendelijke groet*|hoogachtend|atentamente|un cordial saludo|saludos cordiales|reciba un|
      cordiali saluti|distinti saluti|in fede`,
    usual:
      'enclosed|regarding|subject|betreff|anlage|bezug|objet|piece jointe|betreft|bijlage|asunto|adjunto|oggetto|allegato|re|your letter|ihr schreiben',
  },
  minutes: {
    titles: `minutes|minutes of*|meeting minutes|minutes of the*|meeting notes|protokoll|*protokoll|niederschrift|
      ergebnisprotokoll|proces verbal|compte rendu de reunion|compte rendu de la reunion|pv de*|notulen|vergaderverslag|
      verslag vergadering|acta|acta de reunion|acta de la*|acta de la reunion|verbale|verbale di*|verbale della*|
      verbale dell assemblea|verbale di riunione`,
    strong: `apologies|attendees|matters arising|action items|in attendance|meeting opened|meeting closed|motion carried|
      minutes of the last|any other business|teilnehmer*|tagesordnung|top 1|sitzung|beschluss|protokollfuhrer*|anwesend|
      presents|absents|excuses|ordre du jour|seance|aanwezig*|afwezig*|agendapunt*|actiepunt*|rondvraag|notulist|
      asistentes|orden del dia|se levanta la sesion|acuerdos|presenti|assenti|ordine del giorno|la seduta|segretario`,
    usual:
      'chair|agenda|resolved|seconded|action|next meeting|leitung|protokoll|nachste sitzung|prochaine reunion|voorzitter|proxima reunion|presidente|prossima riunione|present|date|time',
  },
  cv: {
    titles: `curriculum vitae|cv|resume|lebenslauf|tabellarischer lebenslauf|curriculum|hoja de vida|europass|personal profile`,
    strong: `work experience|employment history|professional experience|career history|career objective|berufserfahrung|beruflicher werdegang|
      praktische erfahrung|experience professionnelle|experiences professionnelles|parcours professionnel|werkervaring|
      experiencia laboral|experiencia profesional|esperienza professionale|esperienze professionali|esperienza lavorativa|
      esperienze lavorative|schulbildung|studium|akademische ausbildung|formacion academica|istruzione e formazione|
      competences|vaardigheden|kenntnisse|edv kenntnisse|soft skills|technical skills|references on request|
      references available|centres d interet|madrelingua|fuhrerschein klasse|personliche daten`,
    usual: `education|skills|references|languages|interests|hobbies|ausbildung|sprachen|sprachkenntnisse|interessen|hobbys|
      formation|langues|diplomes|loisirs|opleiding*|talen|hobby s|referenties|personalia|idiomas|educacion|habilidades|
      aptitudes|lingue|istruzione|formazione|competenze|date of birth|geburtsdatum|nationality|staatsangehorigkeit|
      nationalite|geboortedatum|fecha de nacimiento|data di nascita|certifications|projects|summary|profile|profil|profiel`,
  },
  certificate: {
    titles: `certificate|certificate of*|*zeugnis|zertifikat|urkunde|*urkunde|bescheinigung|*bescheinigung|teilnahmebestatigung|
      *bestatigung|attestation|attestation de*|certificat|certificat de*|diplome|diploma|certificaat|getuigschrift|
      werkgeversverklaring|verklaring|*verklaring|attest|certificado|certificado de*|titulo|certificato|certificato di*|attestato|
      attestato di*|dichiarazione|award|completion certificate|bestatigung|verklaring omtrent*`,
    strong: `this is to certify|certifies that|hereby certify|certify that|has successfully completed|is awarded|
      hiermit wird bescheinigt|hiermit bescheinigen|wird hiermit bestatigt|hiermit bestatigen wir|bescheinigen wir|
      hat erfolgreich|hat teilgenommen|certifie que|atteste que|je soussigne*|nous soussignes|fait pour servir et valoir|
      hierbij verklaar*|verklaart dat|hiermee verklaren|heeft met goed gevolg|certifica que|hace constar|se certifica|
      y para que conste|si certifica|certifica che|si attesta|attesta che|ha conseguito|si rilascia|date of birth|geboren am|
      iso 9001|valid until`,
    usual:
      'awarded|completed|issued|training|course|ausgestellt|lehrgang|bestanden|delivre|formation|uitgereikt|cursus|expedido|curso|rilasciato|corso|registrar|director',
  },
  prescription: {
    titles: `prescription|rezept|*rezept|arztliche verordnung|verordnung|ordonnance|ordonnance medicale|recept|doktersvoorschrift|receta|
      receta medica|ricetta|ricetta medica|prescrizione|prescrizione medica`,
    strong: `rx|refill|refills|dispense|sig|take one tablet|take 1 tablet|tablets|capsules|twice daily|three times daily|once daily|
      tabletten|einnahme|1 0 1|1 0 0|1 1 1|taglich|filmtabletten|aut idem|zuzahlung|comprime*|gelule*|fois par jour|
      matin et soir|posologie|par jour|tablet|per dag|maal daags|innemen|comprimido*|capsula*|cada 8 horas|cada 12 horas|
      veces al dia|posologia|compress*|volte al giorno|al di`,
    usual: `mg|ml|dose|dosage|patient|doctor|pharmacy|arzt|praxis|apotheke|krankenkasse|versicherten*|medecin|docteur|rpps|
      pharmacie|arts|huisarts|apotheek|medico|farmacia|paciente|paziente|dott|dr|medikament|medicament|farmaco`,
  },
  medical_report: {
    titles: `medical report|discharge summary|discharge letter|clinical report|lab report|laboratory report|pathology report|
      radiology report|test results|blood test*|patient report|arztbrief|arztbericht|befund|befundbericht|laborbefund|laborbericht|
      entlassungsbrief|entlassungsbericht|entlassbrief|*befund|operationsbericht|compte rendu|compte rendu medical|
      compte rendu d hospitalisation|compte rendu operatoire|compte rendu de consultation|lettre de sortie|resultats d analyses|
      bilan sanguin|ontslagbrief|medisch rapport|medisch verslag|specialistenbrief|labuitslag*|laboratoriumuitslag*|
      informe medico|informe de alta|informe clinico|analitica|resultados de laboratorio|referto|referto medico|
      lettera di dimissione|relazione clinica|esami del sangue|relazione medica`,
    strong: `diagnosis|diagnoses|diagnose*|anamnese|anamnesis|anamnesi|medical history|physical examination|clinical findings|impression|chief complaint|
      vital signs|blood pressure|hemoglobin|haemoglobin|hamoglobin|hemoglobine|emoglobina|hemoglobina|glucose|cholesterol|leukozyten|
      erythrozyten|kreatinin|creatinine|referenzbereich|reference range|reference interval|valeurs de reference|
      referentiewaarde*|valores de referencia|valori di riferimento|therapie|epikrise|antecedents|motif d hospitalisation|
      examen clinique|traitement de sortie|diagnostic|diagnostico|tratamiento|exploracion|exploracion fisica|
      antecedentes|voorgeschiedenis|lichamelijk onderzoek|conclusie|beleid|esame obiettivo|terapia|diagnosi|prognosi`,
    usual: `patient|patientin|patiente|paziente|paciente|hospital|clinic|klinik|krankenhaus|hopital|ziekenhuis|ospedale|medication|medikation|medication on discharge|
      medicatie|physician|oberarzt|chefarzt|symptoms|treatment|mg|dr|specimen|probe|sex|age`,
  },
  paper: {
    titles: '',
    strong:
      'abstract|related work|et al|arxiv|doi|keywords|index terms|proceedings of|zusammenfassung abstract|resume abstract|mots cles|palabras clave|parole chiave|trefwoorden|schlusselworter|schlagworter',
    usual:
      'references|bibliography|introduction|conclusion|conclusions|university|universitat|universite|universita|universidad|universiteit|results|discussion|methods|methodology|experiments|journal|figure 1|table 1|literaturverzeichnis|bibliographie|bibliografia|literatuur|einleitung|introduzione|introduccion|inleiding|acknowledgements|acknowledgments|hypothesis|dataset',
  },
  report: {
    titles: `report|*report|annual report|audit report|progress report|inventory report|audit profile|*profile|white paper|survey|study|assessment|evaluation|bericht|*bericht|
      geschaftsbericht|gutachten|*gutachten|studie|auswertung|lagebericht|jahresabschluss|rapport|rapport annuel|rapport d*|rapport de*|etude|bilan|verslag|jaarverslag|
      *verslag|*rapport|informe|informe anual|informe de*|memoria anual|estudio|relazione|relazione annuale|relazione di*|relazione sulla*|rapporto|
      bilancio|studio|findings|review|analysis|quarterly report|financial statements|fact sheet|factsheet|briefing|newsletter`,
    strong: `executive summary|key findings|recommendations|this report|management summary|zusammenfassung|handlungsempfehlung*|ergebnisse|
      dieser bericht|synthese|resume executif|recommandations|ce rapport|samenvatting|aanbevelingen|dit rapport|
      resumen ejecutivo|recomendaciones|este informe|sintesi|raccomandazioni|questa relazione|il presente rapporto|appendix a|terms of reference`,
    usual:
      'findings|conclusion|conclusions|methodology|background|overview|results|introduction|fazit|einleitung|methodik|conclusies|inleiding|conclusiones|introduccion|conclusioni|introduzione|analysis|fiscal year|table of contents|inhaltsverzeichnis|sommaire|indice',
  },
  manual: {
    titles: `manual|*manual|user manual|user guide|user s guide|owner s manual|reference manual|instruction manual|instructions|guide|*guide|
      handbook|*handbook|quick start|quick start guide|getting started|installation guide|operating instructions|tutorial|
      how to*|handbuch|*handbuch|bedienungsanleitung|gebrauchsanweisung|betriebsanleitung|montageanleitung|*anleitung|
      leitfaden|manuel|manuel d utilisation|manuel utilisateur|guide d utilisation|guide de l utilisateur|mode d emploi|
      notice|notice d utilisation|notice de montage|handleiding|gebruikershandleiding|gebruiksaanwijzing|*handleiding|
      manual de usuario|manual de*|guia|guia de*|guia del usuario|instrucciones|instrucciones de uso|manuale|manuale d uso|
      manuale utente|guida|guida utente|istruzioni|istruzioni per l uso|specification|*specification|reference|documentation`,
    strong: `troubleshooting|safety instructions|before using|table of contents|step 1|technical specifications|command line|press the|click on|
      sicherheitshinweise|inbetriebnahme|fehlerbehebung|technische daten|storungsbehebung|wartung|consignes de securite|mise en service|
      depannage|caracteristiques techniques|veiligheidsinstructies|ingebruikname|problemen oplossen|technische gegevens|
      instrucciones de seguridad|puesta en marcha|solucion de problemas|avvertenze|messa in funzione|risoluzione dei problemi|
      dati tecnici|usage|options|synopsis|configuration|installation|installing`,
    usual:
      'warning|caution|note|install|button|menu|press|click|settings|warnung|achtung|hinweis|taste|attention|touche|appuyez|waarschuwing|knop|druk|advertencia|pulse|boton|attenzione|premere|tasto|chapter|section|appendix|version|file|software',
  },
  form: {
    titles: `form|*form|application form|registration form|claim form|consent form|request form|order form|enrolment form|application|
      questionnaire|declaration|request for*|application for*|antrag|antrag auf*|*antrag|formular|*formular|fragebogen|*fragebogen|anmeldung|anmeldeformular|
      erklarung|*erklarung|vollmacht|formulaire|formulaire de*|demande|demande de*|demande d*|bulletin d inscription|declaration de*|
      formulier|*formulier|aanvraag|aanvraagformulier|vragenlijst|formulario|formulario de*|solicitud|solicitud de*|
      cuestionario|modulo|modulo di*|domanda di*|richiesta di*|scheda|questionario|cerfa|w 9|w 8ben|w 4|1040|kyc`,
    strong: `please complete|please print|please tick|for office use*|for official use*|signature of applicant|block capitals|office use only|
      check the appropriate box|check one|tick as appropriate|under penalties of perjury|fill in|bitte ankreuzen|zutreffendes ankreuzen|
      in druckbuchstaben|unterschrift des antragstellers|antragsteller*|auszufullen|a remplir|cocher|cochez|a completer|
      signature du demandeur|en majuscules|reserve a l administration|aankruisen|in blokletters|invullen|in te vullen|
      handtekening aanvrager|marque con*|a rellenar|rellenar|firma del solicitante|en mayusculas|il sottoscritto|
      la sottoscritta|il la sottoscritt*|barrare|compilare|in stampatello|firma del richiedente|chiede|nato a|allegare`,
    usual:
      'name|first name|last name|surname|address|date of birth|signature|telephone|email|postcode|vorname|nachname|anschrift|geburtsdatum|unterschrift|nom|prenom|adresse|date de naissance|naam|voornaam|geboortedatum|handtekening|nombre|apellidos|domicilio|fecha de nacimiento|firma|cognome|nome|residente|data di nascita|yes no|ja nein|oui non|yyyy mm dd|mm dd yyyy',
  },
  speech: {
    titles:
      'remarks by*|speech by*|speech|address by*|statement by*|rede|rede von*|rede des*|discours|discours de*|toespraak|discurso|discurso de*|discorso',
    strong:
      'ladies and gentlemen|meine damen und herren|mesdames et messieurs|dames en heren|senoras y senores|signore e signori|remarks by|speech by|thank you very much|my fellow',
    usual: 'applause|honour|honored|today we|friends',
  },
};
