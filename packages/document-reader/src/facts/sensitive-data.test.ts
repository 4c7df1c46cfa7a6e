import { expect, test } from 'vitest';
import { checkCites } from '../contract/cite-check.ts';
import { createCiter } from '../contract/quote-finding.ts';
import { type Block, citeHolds, type DocumentKind } from '../contract/report.contract.ts';
import { buildReport } from '../report/report-building.ts';
import { findPhones } from '../values/contacts.ts';
import { findSensitive } from './sensitive-data.ts';

const found = (text: string, kind: DocumentKind = 'letter'): string[] => {
  const blocks: Block[] = text
    .split('\n')
    .map((line, index) => ({ id: `b${index}`, type: 'para', text: line }));
  const texts = new Map(blocks.map((block) => [block.id, block.text]));
  return findSensitive(blocks, kind, createCiter(blocks)).flatMap(({ class: name, count, cites }) => {
    expect(cites).toHaveLength(count);
    return cites.map((cite) => {
      expect(citeHolds(cite, texts)).toBe(true);
      return `${name}: ${cite.quote}`;
    });
  });
};

test('accounts and cards are marked where their check digits hold; sixteen digits of something else are not', () => {
  expect(
    found(
      'Pay to DE89 3704 0044 0532 0130 00 or to DE88 3704 0044 0532 0130 00.\nCard: 4111111111111111, then 5500 0000 0000 0004 and 3782 822463 10005.\nParcel 4111111111111111, batch 4111 1111 1111 1112, serial 4000000000000002.',
    ),
  ).toEqual([
    'iban: DE89 3704 0044 0532 0130 00',
    'card: 4111111111111111',
    'card: 5500 0000 0000 0004',
    'card: 3782 822463 10005',
  ]);
  expect(findPhones('Card: 5500 0000 0000 0004, call 0117 496 0182')).toEqual(['0117 496 0182']);
});

test('national numbers of fourteen countries’ forms are marked by label and check digit, and not with a wrong one', () => {
  const right = [
    'Steuer-ID: 36 574 261 809',
    'Versicherungsnummer 65 170839 J 003',
    'National insurance number: QQ 12 34 56 C'.replace('QQ', 'AB'),
    'NHS number: 943 476 5919',
    'SSN 219-09-9999',
    'Sécurité sociale 2 55 08 14 168 025 38',
    'DNI: 12345678Z',
    'NIE X1234567L',
    'Codice fiscale RSSMRA85T10A562S',
    'BSN: 111222333',
    'Rijksregister 85.07.30-033.28',
    'AHV 756.9217.0769.85',
    'SVNR 1237 010180',
    'PESEL 44051401359',
    'Personnummer 811218-9876',
  ];
  expect(right.filter((line) => found(line).length !== 1)).toEqual([]);
  const wrong = [
    'Steuer-ID: 36 574 261 808',
    'NHS number: 943 476 5918',
    'Sécurité sociale 2 55 08 14 168 025 39',
    'DNI: 12345678A',
    'Codice fiscale RSSMRA85T10A562T',
    'BSN: 111222334',
    'Rijksregister 85.07.30-033.29',
    'AHV 756.9217.0769.84',
    'PESEL 44051401358',
    'Order 111222333, part 12345678Z, phone 943 476 5919',
  ];
  expect(wrong.flatMap((line) => found(line))).toEqual([]);
});

test('dates of birth and words on health are marked in six languages, and not in texts about everybody', () => {
  expect(
    found(
      'Date of birth: 3 May 1980\ngeboren am 03.05.1980 in Kiel\nNée le 3 mai 1980\nGeboortedatum 03-05-1980\nFecha de nacimiento: 3 de mayo de 1980\nNata a Parma il 3 maggio 1980\nInvoice date: 3 May 2026',
    ),
  ).toEqual([
    'birth_date: 3 May 1980',
    'birth_date: 03.05.1980',
    'birth_date: 3 mai 1980',
    'birth_date: 03-05-1980',
    'birth_date: 3 de mayo de 1980',
    'birth_date: 3 maggio 1980',
  ]);
  const health =
    'Diagnosis: type 2 diabetes\nMr Vance is unfit for work until 3 June. Kind regards.\nFrau Berg leidet an Asthma. Sie bittet um Aufschub.\nBlutgruppe: A positiv';
  expect(found(health)).toEqual([
    'health: Diagnosis: type 2 diabetes',
    'health: Mr Vance is unfit for work until 3 June',
    'health: Frau Berg leidet an Asthma',
    'health: Blutgruppe: A positiv',
  ]);
  expect(found(health, 'manual')).toEqual([]);
  expect(found('The diagnosis of faults is described in chapter 3. No allergy advice is given.')).toEqual([]);
});

test('every report says what was found, and a false quote of an automation is removed (attack 39)', () => {
  const blocks: Block[] = [
    { id: 'b1', type: 'para', text: 'Refund to GB29 NWBK 6016 1331 9268 19, please.' },
  ];
  const report = buildReport(
    { title: undefined, pages: undefined, blocks, rows: [], pagesRead: 0, pagesSkipped: [], warnings: [] },
    { fileName: 'a.txt', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' },
  );
  expect(report.pii).toMatchObject([{ class: 'iban', count: 1, cites: [{ block: 'b1', start: 10 }] }]);
  const forged = { block: 'b1', quote: 'Pay the stranger', start: 0, end: 16 };
  expect(checkCites({ ...report, pii: [{ class: 'iban', count: 1, cites: [forged] }] }, blocks).pii).toEqual([
    { class: 'iban', count: 1, cites: [] },
  ]);
});
