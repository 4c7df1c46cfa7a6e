import type { DocumentKind } from '@northline/document-reader/report.contract';
import { queryOptions } from '@tanstack/react-query';
import { ownTables } from '../../../ui/session/client.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import {
  type DrawnPlace,
  type FieldReach,
  OWN_FIELD_FUNCTIONS,
  type OwnField,
  type OwnFieldTable,
  type OwnFieldValue,
} from './own-field.contract.ts';

/** The fields of a document's kind, with their values in it. */
export interface FieldsOfFile {
  readonly fields: readonly OwnField[];
  readonly values: readonly OwnFieldValue[];
}

/** Milliseconds between looks while a value is being read. */
const READING_MS = 1500;

/** Whether a value is still to be read: the field has learned something since. */
export function isBeingRead({ version }: OwnField, value: OwnFieldValue | undefined): boolean {
  return version > 0 && value?.given !== true && value?.version !== version;
}

/** The fields that the customer named, in a document. The key starts with `files`, so that a change of the file fetches them again. */
export function fieldsOfFileQuery(userId: string, fileId: string, kind: DocumentKind) {
  return queryOptions<FieldsOfFile>({
    queryKey: ['files', userId, fileId, 'own-fields', kind],
    refetchInterval: ({ state: { data } }) =>
      data?.fields.some((field) =>
        isBeingRead(
          field,
          data.values.find((value) => value.field_id === field.id),
        ),
      )
        ? READING_MS
        : false,
    queryFn: async ({ signal }): Promise<FieldsOfFile> => {
      const tables = await ownTables();
      const [fields, values] = await Promise.all([
        tables
          .from('own_fields')
          .select('id, user_id, team_id, kind, name, version')
          .eq('kind', kind)
          .order('created_at')
          .abortSignal(signal)
          .returns<OwnField[]>(),
        tables
          .from('own_field_values')
          .select('field_id, value, normalized, confidence, cites, given, version')
          .eq('file_id', fileId)
          .abortSignal(signal)
          .returns<OwnFieldValue[]>(),
      ]);
      const error = fields.error ?? values.error;
      if (error !== null) throw new Error('The fields could not be loaded.', { cause: error });
      return { fields: fields.data ?? [], values: values.data ?? [] };
    },
  });
}

/** The table of a kind's documents; without a kind, of the one with the most fields. */
export function fieldTableQuery(userId: string, kind: DocumentKind | undefined) {
  return queryOptions({
    queryKey: ['files', userId, 'own-field-table', kind ?? ''],
    queryFn: async ({ signal }): Promise<OwnFieldTable> => {
      const body = kind === undefined ? {} : { kind };
      const reply = await callServer(OWN_FIELD_FUNCTIONS.table, { as: 'user', body, signal });
      return reply.json() as Promise<OwnFieldTable>;
    },
  });
}

/** Names a field for a kind of document. @throws CallRefused with the sentence for the user */
export async function defineField(kind: DocumentKind, name: string): Promise<void> {
  await callServer(OWN_FIELD_FUNCTIONS.define, { as: 'user', body: { kind, name } });
}

/** Gives a field to the team or to all customers, or back to its owner alone. @throws CallRefused with the sentence for the user */
export async function reachWith(fieldId: string, reach: FieldReach): Promise<void> {
  await callServer(OWN_FIELD_FUNCTIONS.define, { as: 'user', body: { field_id: fieldId, reach } });
}

/** Removes a field with its examples and values. @throws CallRefused with the sentence for the user */
export async function removeField(fieldId: string): Promise<void> {
  await callServer(OWN_FIELD_FUNCTIONS.remove, { as: 'user', body: { field_id: fieldId } });
}

/** What a person shows a field in one document. */
export interface FieldTeaching {
  readonly fieldId: string;
  readonly fileId: string;
  /** Null: the document does not have it. Undefined: what was given is forgotten. */
  readonly value: string | null | undefined;
  readonly place?: DrawnPlace | undefined;
}

/** Teaches a field. @throws CallRefused with the sentence for the user */
export async function teachField({ fieldId, fileId, value, place }: FieldTeaching): Promise<void> {
  await callServer(OWN_FIELD_FUNCTIONS.teach, {
    as: 'user',
    body: {
      field_id: fieldId,
      file_id: fileId,
      ...(value === undefined ? {} : { value }),
      ...(place === undefined ? {} : { place }),
    },
  });
}
