import { expect, test } from 'vitest';
import { detectLanguage } from './language-detection.ts';

test('a short bill has the language of its labels; figures and names alone have none', () => {
  const bills: Record<string, string> = {
    en: 'Harlow Ltd\nInvoice 2041\nInvoice date 3 May 2026\nDue date 2 June 2026\nDescription Quantity Amount\nOak shelf 2 £240.00\nTotal £240.00\nPlease quote this number.',
    de: 'Kessler GmbH\nRechnung Nr. 4471\nRechnungsdatum 03.05.2026\nBezeichnung Menge Einzelpreis\nRegal 2 240,00\nGesamtbetrag 240,00 EUR\nzahlbar bis 02.06.2026',
    fr: 'Dupont SARL\nFacture n° 4471\nDate d’échéance 02/06/2026\nDésignation Quantité Prix\nÉtagère 2 240,00\nTotal TTC 240,00 €',
    nl: 'Visser B.V.\nFactuur 4471\nFactuurdatum 03-05-2026\nVervaldatum 02-06-2026\nOmschrijving Aantal Prijs\nPlank 2 240,00\nTe betalen € 240,00',
    es: 'Martín S.L.\nFactura 4471\nFecha 03/05/2026\nVencimiento 02/06/2026\nDescripción Cantidad Precio\nEstante 2 240,00\nImporte 240,00 €',
    it: 'Bianchi S.r.l.\nFattura 4471\nScadenza 02/06/2026\nDescrizione Quantità Prezzo\nScaffale 2 240,00\nImporto 240,00 €',
  };
  for (const [language, text] of Object.entries(bills))
    expect([text, detectLanguage(text)]).toEqual([text, language]);
  expect(detectLanguage(`${'Kovács Ödön 4471 KX-20 '.repeat(20)}`)).toBeUndefined();
  expect(detectLanguage('12 400.00\n7 29.90')).toBeUndefined();
});

test('the language of prose is recognised, also one whose labels are not read', () => {
  const prose: Record<string, string> = {
    pt: 'O conselho do porto decidiu em janeiro reconstruir o cais do leste. As obras começam em maio e duram cerca de dezoito meses. Os barcos que estão ali agora vão para a doca interior, e não há outro lugar para eles. O novo cais é mais largo e também mais alto do que o velho.',
    sv: 'Hamnrådet beslutade i januari att bygga om den östra kajen. Arbetet börjar i maj och tar ungefär arton månader. Båtarna som ligger där nu flyttas till den inre bassängen, och det är inte klart hur länge de ska ligga kvar. Den nya kajen är bredare och högre.',
    hu: 'A kikötő tanácsa januárban úgy döntött, hogy újjáépíti a keleti rakpartot. A munka májusban kezdődik, és körülbelül tizennyolc hónapig tart. Az ott álló hajók a belső medencébe mennek, és nem tudni, hogy mikor jönnek vissza. Ez egy nagy munka.',
    ja: '港湾評議会は一月に東の岸壁を再建することを決めた。工事は五月に始まり、およそ十八か月かかる。今そこにある船は内側の船溜まりに移る。新しい岸壁は広くて高い。'.repeat(
      4,
    ),
  };
  for (const [language, text] of Object.entries(prose)) expect(detectLanguage(text)).toBe(language);
});
