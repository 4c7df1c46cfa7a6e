import { QueryClient, QueryClientProvider, type UseQueryResult } from '@tanstack/react-query';
import { createElement, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Router } from 'wouter';
import { fileRecord } from '../../../../tests/support/customers/file-record.ts';
import { PICKER_ACCEPT } from '../../../platform/storage/content/upload-types.contract.ts';
import { ConfirmDelete } from '../actions/deletion-confirm.web.tsx';
import type { FileActions } from '../actions/file-actions.web.ts';
import type { FileRecord } from '../file-record.web.ts';
import { FileLists } from './file-lists.web.tsx';
import { AnalyzedRow, WaitingRow } from './file-row.web.tsx';
import { SelectionBar } from './file-selection.web.tsx';
import { RowColumns } from './row-columns.web.tsx';

const LEASE = fileRecord();

const print = (element: ReactElement): string =>
  renderToStaticMarkup(<Router ssrPath="/dashboard">{element}</Router>);
const nothing = (): void => undefined;
const nowhere = (): null => null;

function row(Row: typeof WaitingRow, file: FileRecord, busy?: Parameters<FileActions['isBusy']>[1]): string {
  const actions = { isBusy: (_file: FileRecord, action: string) => action === busy } as FileActions;
  const handlers = { onDelete: nothing, onPreview: nothing, onTag: nothing, onChoose: nothing, columns: [] };
  return print(createElement(Row, { file, actions, chosen: false, ...handlers }));
}

test('a waiting row offers its actions, shows what is running and why an analysis failed, and fades during deletion', () => {
  const waiting = row(WaitingRow, LEASE);
  for (const words of [
    'Download lease.pdf',
    'Analyze lease.pdf',
    'Preview lease.pdf',
    'Delete lease.pdf',
    '2.0 KB',
  ])
    expect(waiting).toContain(words);
  const analyzing = row(WaitingRow, { ...LEASE, status: 'analyzing', progress: 40 });
  expect(analyzing).toContain('Analyzing...');
  expect(analyzing).toContain('value="40"');
  expect(row(WaitingRow, LEASE, 'analyze')).toContain('Analyzing...');
  expect(row(WaitingRow, LEASE, 'delete')).toContain('data-deleting="true"');
  expect(waiting).not.toContain('data-deleting');
  const failed = row(WaitingRow, { ...LEASE, status: 'failed', status_reason: 'The file is damaged.' });
  expect(failed).toContain('Try again: lease.pdf');
  expect(failed).toContain('The file is damaged.');
  const locked = row(WaitingRow, { ...LEASE, status: 'needs_password' });
  expect(locked).not.toContain('Analyze lease.pdf');
  expect(locked).toContain('Enter the password');
});

test('an analysed row has its badge and links to its report, here or at an automation, and nowhere else', () => {
  const analyzed: FileRecord = { ...LEASE, analyzed: true, status: 'analyzed' };
  const of = (url: string) => row(AnalyzedRow, { ...analyzed, analyzed_url: url });
  // Addresses are resolved against the page's own.
  Object.assign(globalThis, { location: { origin: 'https://northline.example' } });
  try {
    expect(of('/dashboard/files/f1/analysis')).toContain('href="/dashboard/files/f1/analysis"');
    expect(of('/dashboard/files/f1/analysis')).toContain('<span class="badge">Analyzed</span>');
    expect(of('https://reports.example/1')).toContain('href="https://reports.example/1" target="_blank"');
    for (const bad of ['javascript:alert(1)', 'http://reports.example/1', 'data:text/html,x'])
      expect(of(bad)).not.toContain('href');
  } finally {
    Reflect.deleteProperty(globalThis, 'location');
  }
});

test('an analysed row shows its values in further columns, and marks those that are not sure', () => {
  const analyzed: FileRecord = { ...LEASE, analyzed: true, status: 'analyzed' };
  const value = (text: string, isSure: boolean) => new Map([[LEASE.id, { text, key: text, isSure }]]);
  const columns = [
    { id: 'a', name: 'Cost centre', values: value('HK-12', true) },
    { id: 'b', name: 'Meter', values: value('77', false) },
    { id: 'c', name: 'Ship', values: new Map() },
  ];
  const words = print(
    createElement('div', {}, createElement(RowColumns, { file: analyzed, columns })),
  ).replace(/<[^>]+>/g, ' ');
  expect(words.replace(/\s+/g, ' ').trim()).toBe('Cost centre HK-12 Meter 77 not sure Ship –');
  expect(print(createElement(RowColumns, { file: { ...analyzed, id: 'other' }, columns }))).toBe('');
});

test('both lists are shown when they are empty, and a deletion asks first and says what it removes', () => {
  const query = { data: [], isError: false } as unknown as UseQueryResult<FileRecord[]>;
  const lists = createElement(FileLists, {
    query,
    wanted: '',
    state: 'all',
    note: '',
    Preview: nowhere,
    Choice: nowhere,
    columns: [],
    columnChoice: null,
  });
  const page = print(createElement(QueryClientProvider, { client: new QueryClient() }, lists));
  for (const words of ['Your Files', 'No files uploaded', 'Your Analyzed Files', 'No analyzed files yet'])
    expect(page).toContain(words);
  const ask = (files: readonly FileRecord[]) =>
    print(createElement(ConfirmDelete, { files, onClose: nothing, onConfirm: nothing })).replace(
      /<[^>]+>/g,
      '',
    );
  expect(ask([LEASE])).toContain(
    'Delete Filelease.pdf will be removed from your dashboard and from our servers. This action cannot be undone.',
  );
  expect(ask([LEASE, LEASE])).toContain('Delete 2 Files2 files will be removed');
});

test('of the chosen files only those are analysed that wait for it and can be read', () => {
  const bar = (files: readonly FileRecord[]): string => {
    const choice = { files, has: () => true, choose: nothing, chooseAll: nothing, clear: nothing };
    const rest = {
      shown: files,
      known: [],
      actions: {} as FileActions,
      onDelete: nothing,
      Choice: nowhere,
    };
    return print(createElement(SelectionBar, { choice, ...rest })).replace(/<[^>]+>/g, ' ');
  };
  const unreadable = { ...LEASE, status: 'failed', unreadable: true } as const;
  const locked = { ...LEASE, status: 'needs_password' } as const;
  const done = { ...LEASE, analyzed: true, status: 'analyzed' } as const;
  expect(bar([LEASE, { ...LEASE, status: 'failed' }, unreadable, locked, done])).toContain('Analyze 2');
  expect(bar([unreadable, locked, done])).not.toContain('Analyze');
});

test('the picker offers the specified kinds of documents', () => {
  expect(PICKER_ACCEPT.split(',').slice(0, 3)).toEqual(['.pdf', '.doc', '.docx']);
});
