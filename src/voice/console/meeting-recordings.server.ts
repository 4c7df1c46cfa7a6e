import { z } from 'zod';
import {
  declareForOperators,
  declareOperatorWork,
  type OperatorScope,
  pageOf,
} from '../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Evidence } from '../calls/record/evidence.server.ts';
import { recordingLinks } from '../recording/meeting/meeting-archive.server.ts';
import type { MeetingRecord } from '../recording/meeting/meeting-record.contract.ts';
import type {
  ConsoleMeeting,
  MeetingAddresses,
  MeetingDetail,
  MeetingsPage,
} from './meeting-recordings.contract.ts';

const PER_PAGE = 50;
const ONE = z.object({ id: z.uuid() });

/**
 * Recorded meetings at the console: a list, one meeting with the people who were heard, playing it, deleting
 * it.
 */
export function serveMeetingRecordings(scope: OperatorScope, evidence: Evidence): void {
  serveMeetings(scope);
  serveMeeting(scope, evidence);
  serveMeetingActs(scope, evidence);
}

interface Row {
  readonly id: string;
  readonly body: unknown;
  readonly created_at: Date;
  readonly seconds: string | null;
  readonly goes_on: boolean | null;
}

function sentMeeting({ id, body, created_at, seconds, goes_on }: Row): ConsoleMeeting {
  const { room_name, participants } = body as MeetingRecord;
  return {
    ...{ id, room_name, created_at: created_at.toISOString() },
    seconds: seconds === null ? null : Number(seconds),
    goes_on: goes_on === true,
    people: participants.filter(({ voice_only: isVoice }) => isVoice !== true).length,
  };
}

function serveMeetings(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'meeting-recordings',
    method: 'GET',
    input: z.object({ q: z.string().max(100).default(''), after: z.uuid().or(z.literal('')).default('') }),
    async answer(queries, { q, after }): Promise<MeetingsPage> {
      const rows = await queries.many(
        `select id /* not null */, body /* not null */, created_at /* not null */, seconds, goes_on
           from operator.meeting_recordings
          where ($1 = '' or position(lower($1) in lower(concat_ws(' ', id, body ->> 'room_name', body ->> 'participants'))) > 0)
            and ($2 = '' or (created_at, id) < (select created_at, id from operator.meeting_recordings where id::text = $2))
          order by created_at desc, id desc limit $3`,
        [q, after, PER_PAGE + 1],
      );
      return pageOf(rows, PER_PAGE, sentMeeting, (row) => row.id);
    },
  });
}

function serveMeeting(scope: OperatorScope, evidence: Evidence): void {
  declareForOperators(scope, {
    name: 'meeting-recording',
    method: 'GET',
    input: ONE,
    async answer(queries, { id }): Promise<MeetingDetail> {
      const row = await queries.maybe(
        `select id /* not null */, body /* not null */, created_at /* not null */, seconds, goes_on, expires_at,
                video, refused
           from operator.meeting_recordings where id = $1`,
        [id],
      );
      if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such recording.');
      const { participants } = row.body as unknown as MeetingRecord;
      const kept = (row.video ?? 'none') as MeetingDetail['pictures'];
      return {
        ...sentMeeting(row),
        expires_at: row.expires_at?.toISOString() ?? null,
        heard: participants.map(({ user_name: name, from, to }) => ({ name, from, to })),
        pictures: row.refused === true ? 'refused' : kept,
        faults: (await evidence.verify(id)).faults,
      };
    },
  });
}

function serveMeetingActs(scope: OperatorScope, evidence: Evidence): void {
  const { resources } = scope;
  const { database } = resources;
  declareOperatorWork(scope, {
    name: 'play-meeting-recording',
    input: ONE,
    async work(caller, { id }): Promise<MeetingAddresses> {
      const row = await database.asCaller(caller, async (queries) => {
        const { found } = await queries.one('select operator.listen_call($1) as found', [id]);
        if (found !== true) return undefined;
        return queries.maybe(
          'select body /* not null */, video from operator.meeting_recordings where id = $1',
          [id],
        );
      });
      if (row === undefined)
        throw new ServiceError(
          404,
          'no_recording',
          'Nothing of this meeting is kept, or it is not stored yet.',
        );
      const { participants } = row.body as unknown as MeetingRecord;
      const links = await recordingLinks(resources, id, { participants, video: row.video });
      const local = (url: string): string => url.slice(resources.siteUrl.length);
      return {
        ...links,
        url: local(links.url),
        pictures: links.pictures.map((picture) => ({ ...picture, url: local(picture.url) })),
      };
    },
  });
  declareOperatorWork(scope, {
    name: 'delete-meeting-recording',
    input: ONE,
    async work(caller, { id }) {
      const { found, goes_on } = await database.asCaller(caller, async (queries) => {
        const deleted = await queries.one('select operator.delete_meeting_recording($1) as found', [id]);
        const left = await queries.maybe('select goes_on from operator.meeting_recordings where id = $1', [
          id,
        ]);
        return { ...deleted, goes_on: left?.goes_on };
      });
      if (found !== true)
        throw goes_on === true
          ? new ServiceError(409, 'recording_goes_on', 'This recording goes on. Please stop it first.')
          : new ServiceError(404, 'not_found', 'There is no such recording.');
      await database.transaction((queries) =>
        evidence.add(queries, id, { kind: 'deleted', data: { what: 'recording' } }),
      );
      return { done: true };
    },
  });
}
