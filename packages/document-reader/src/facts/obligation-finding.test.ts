import { expect, test } from 'vitest';
import { checkCites } from '../contract/cite-check.ts';
import { citeHolds, type Report } from '../contract/report.contract.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { TENANCY } from '../samples/document-texts.fixture.ts';
import { noticeDay } from './notice-day.ts';

async function read(text: string) {
  const document = await readFileContent(
    Buffer.from(text),
    createOcrSession(0, () => {}),
  );
  const report = buildReport(document, {
    ...{ fileName: 'agreement.txt', sha256: '0'.repeat(64), createdAt: '2026-03-10T09:00:00.000Z' },
  });
  return { report, blocks: document.blocks };
}

const said = ({ obligations = [] }: Report): string[] =>
  obligations.map(({ kind, party, deadline, text }) =>
    [kind, party, deadline, text.slice(0, 32)].filter(Boolean).join(' | '),
  );

test('a tenancy’s duties are listed with their party, and the last day for a notice is calculated; permissions are not duties', async () => {
  const { report, blocks } = await read(TENANCY);
  expect(report.document.kind).toBe('lease');
  const texts = new Map(blocks.map(({ id, text }) => [id, text]));
  const all = report.obligations ?? [];
  expect(all.flatMap(({ cites }) => cites).every((cite) => citeHolds(cite, texts))).toBe(true);
  expect(all.every(({ cites }) => cites.length > 0)).toBe(true);
  expect(all[0]).toMatchObject({
    kind: 'notice_day',
    deadline: '2027-01-31',
    text: 'Notice for the end on 31 March 2027 has to be given by 31 January 2027, as the period is two months.',
  });
  const duties = all.filter(({ kind }) => kind === 'duty');
  expect(new Set(duties.map(({ party }) => party))).toEqual(new Set(['Tenant', 'Landlord']));
  expect(duties.map(({ text }) => text)).toContain(
    'The Landlord shall return the deposit within 10 days after both parties have agreed the deductions, if there are any.',
  );
  expect(duties.filter(({ text }) => / may (?:keep|refer|propose)/.test(text))).toEqual([]);
});

const contract = (...clauses: string[]): string =>
  [
    '# Service agreement',
    'This agreement is made on 14 March 2026 between Harbour & Field Ltd (the “Client”) and Greenacre Limited (the “Supplier”). The parties agree the terms of this contract. Governing law and liability are set out below.',
    ...clauses.map((clause, index) => `# ${index + 1}. Clause\n\n${clause}`),
  ].join('\n\n');

test('a day that a duty names is its deadline, a renewal is listed, and a clause is not a party', async () => {
  const { report } = await read(
    contract(
      'The Supplier shall deliver the first report to the Client no later than 30 June 2026 at its own cost.',
      'This agreement renews automatically for a further year unless a party ends it before that day.',
      'This clause shall not limit the rights of a consumer in any way that the law forbids.',
      'The Client must pay each invoice within 30 days after the day on which it came. Must the Client pay sooner than this?',
    ),
  );
  expect(said(report)).toEqual([
    'duty | Supplier | 2026-06-30 | The Supplier shall deliver the f',
    'renewal | This agreement renews automatica',
    'duty | Client | The Client must pay each invoice',
  ]);
});

test('duties are known in six languages, and only leases, contracts and terms have any', async () => {
  const { report } = await read(
    contract(
      'Der Mieter ist verpflichtet, die Wohnung bei Auszug besenrein zu übergeben.',
      'Le locataire doit assurer le logement pendant toute la durée du bail.',
      'De huurder moet de woning als een goed huurder gebruiken en onderhouden.',
      'El arrendatario deberá conservar la vivienda en buen estado durante el contrato.',
      'Il conduttore si obbliga a restituire le chiavi alla fine della locazione.',
    ),
  );
  expect((report.obligations ?? []).map(({ party }) => party)).toEqual([
    ...['Mieter', 'locataire', 'huurder', 'arrendatario', 'conduttore'],
  ]);
  const invoice = await read(
    'Invoice no.: 2041\nInvoice date: 2026-06-10\nTotal\t£12.00\n\nThe Customer shall pay the sum within a month.',
  );
  expect(invoice.report.obligations).toBeUndefined();
});

/** The same lease in five languages: kind, end, period of notice and the day that follows from them. */
const LEASES: Readonly<Record<string, readonly [text: string, period: string, day: string]>> = {
  de: [
    `Mietvertrag über Wohnraum\n\nZwischen Anna Berger, nachfolgend Vermieterin genannt, und Jonas Keller, nachfolgend Mieter genannt, wird dieser Vertrag geschlossen. Die Miete und die Kaution regelt der zweite Abschnitt.\n\nMietbeginn: 1. April 2026. Das Mietverhältnis endet am 31. März 2027.\n\nDer Vertrag kann von jeder Partei mit einer Frist von drei Monaten schriftlich gekündigt werden. Der Mieter ist verpflichtet, die Wohnung bei Auszug besenrein zu übergeben.`,
    'drei Monaten',
    '2026-12-31',
  ],
  fr: [
    `Contrat de location\n\nEntre Claire Martin, ci-après le bailleur, et Paul Girard, ci-après le locataire, il est convenu ce qui suit. Le loyer et le dépôt de garantie sont fixés à l’article 2.\n\nDate de début : 1er avril 2026. Le bail prend fin le 31 mars 2027.\n\nLe locataire peut donner congé à tout moment avec un préavis de trois mois. Le locataire doit assurer le logement pendant toute la durée du bail.`,
    'trois mois',
    '2026-12-31',
  ],
  nl: [
    `Huurovereenkomst woonruimte\n\nTussen Pieter de Wit, hierna de verhuurder, en Sanne Bakker, hierna de huurder, is het volgende overeengekomen. De huurprijs en de waarborgsom staan in artikel 2.\n\nIngangsdatum: 1 april 2026. De huur eindigt op 31 maart 2027.\n\nOpzegging door de huurder geschiedt met een opzegtermijn van twee maanden. De huurder moet de woning als een goed huurder gebruiken.`,
    'twee maanden',
    '2027-01-31',
  ],
  es: [
    `Contrato de arrendamiento de vivienda\n\nEntre Lucía Ortega, en adelante la arrendadora, y Diego Ramos, en adelante el arrendatario, las partes acuerdan lo siguiente. La renta y la fianza se fijan en la cláusula segunda.\n\nFecha de inicio: 1 de abril de 2026. El contrato finaliza el 31 de marzo de 2027.\n\nEl arrendatario podrá desistir con un preaviso de treinta días. El arrendatario deberá conservar la vivienda en buen estado durante el contrato.`,
    'treinta días',
    '2027-03-01',
  ],
  it: [
    `Contratto di locazione ad uso abitativo\n\nTra Marco Rinaldi, di seguito il locatore, e Elena Conti, di seguito il conduttore, si conviene quanto segue. Il canone e la cauzione sono fissati all’articolo 2.\n\nData di inizio: 1 aprile 2026. Il contratto termina il 31 marzo 2027.\n\nIl conduttore può recedere in qualsiasi momento con un preavviso di almeno sei mesi. Il conduttore si obbliga a restituire le chiavi alla fine della locazione.`,
    'sei mesi',
    '2026-09-30',
  ],
};

test('the period of notice and its last day are read in six languages, whose leases are recognised', async () => {
  for (const [language, [text, period, day]] of Object.entries(LEASES)) {
    const { report } = await read(text);
    const { kind, language: said } = report.document;
    const value = (key: string) => report.fields.find((field) => field.key === key);
    expect([language, kind, said, value('notice_period')?.value, value('end_date')?.normalized]).toEqual([
      ...[language, 'lease', language, period, '2027-03-31'],
    ]);
    const all = report.obligations ?? [];
    expect(all[0]).toMatchObject({ kind: 'notice_day', deadline: day });
    expect(all.filter(({ kind: what }) => what === 'duty')).toHaveLength(1);
  }
});

test('the last day for a notice: whole months end with the month, weeks and days are counted, working days give no day', () => {
  expect(noticeDay('2027-03-31', 'two months')).toBe('2027-01-31');
  expect(noticeDay('2028-05-31', 'three (3) months')).toBe('2028-02-29');
  expect(noticeDay('2027-05-15', '1 year')).toBe('2026-05-15');
  expect(noticeDay('2027-03-31', '90 days')).toBe('2026-12-31');
  expect(noticeDay('2027-03-31', '2 weeks')).toBe('2027-03-17');
  expect(noticeDay('2027-03-31', 'drei Monaten')).toBe('2026-12-31');
  expect(noticeDay('2027-03-31', '10 working days')).toBeUndefined();
  expect(noticeDay('2027-03-31', 'some months')).toBeUndefined();
  for (const odd of ['2027-02-31', '31.03.2027', '0001-01-01'])
    expect(noticeDay(odd, '999 years')).toBeUndefined();
});

test('a quote in an automation’s obligation is removed if it is not in the document (attack 39)', async () => {
  const { report, blocks } = await read(TENANCY);
  const quote = { block: blocks[0]?.id ?? '', quote: 'Pay the stranger', start: 0, end: 16 };
  const checked = checkCites(
    { ...report, obligations: [{ kind: 'duty', text: 'Pay.', cites: [quote] }] },
    blocks,
  );
  expect(checked.obligations).toEqual([{ kind: 'duty', text: 'Pay.', cites: [] }]);
});
