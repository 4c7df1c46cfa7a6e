import { expect, test } from 'vitest';
import { madeBy, ownerFaults, ownerOf } from '../../scripts/database/migration-owners.ts';

test('the owner of a migration is the feature or the wing that its name begins with', () => {
  expect(ownerOf('0541_news_drafts.sql')).toBe('src/business/news');
  expect(ownerOf('0541_rest_limits.sql')).toBe('src/platform/rest');
  expect(ownerOf('0541_voice_queues.sql')).toBe('src/voice');
  expect(ownerOf('0541_weather.sql')).toBeUndefined();
});

test('every migration that makes something has an owner', () => {
  expect(madeBy('create table private.notes (id int);\ncreate or replace function private.note() ')).toEqual([
    'private.notes',
    'private.note',
  ]);
  expect(ownerFaults()).toEqual([]);
});
