import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { type DetailedError, Upload } from 'tus-js-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { newOperator, type TestAccount } from '../../../tests/support/customers/operator-client.ts';
import { openPushBrowser } from '../../../tests/support/customers/push-browser.ts';
import { createCustomer } from '../../../tests/support/customers/uploading-customer.ts';
import { type PushService, startPushService } from '../../../tests/support/servers/push-service.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { sendMessageMails } from '../messages/message-mails.server.ts';
import { sendCourseMails } from './course-mails.server.ts';
import {
  COURSE_REFUSALS,
  type ConsoleLessonDetail,
  type ConsoleLessonPage,
  lengthRefusal,
} from './course-videos.contract.ts';

/** Made with ffmpeg from its test pictures: three seconds, two seconds, sixteen minutes, and a tone. */
const video = (name: string): Buffer =>
  readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'tests', 'documents', name));

let app: TestApp;
let service: PushService;
let operator: TestAccount;
/** Professional: two uploads a month, thirty minutes. */
let anna: TestUser;
/** Without a plan. */
let ben: TestUser;
beforeAll(async () => {
  service = await startPushService();
  app = await startTestApp({ settings: { PUSH_ALLOW_HOSTS: service.host } });
  operator = await newOperator(app);
  anna = await subscriber('professional', 2);
  ben = await subscriber(undefined, 0);
});
afterAll(async () => {
  await app?.close();
  await service?.close();
});

interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** A customer in the second week of a course plan, with what is left of its uploads. */
async function subscriber(tier: string | undefined, credits: number): Promise<TestUser> {
  const { id, token } = await createCustomer(app, credits);
  if (tier !== undefined) {
    await app.resources.database.run(
      `with customer as (update public.customers set customer_id = 'cus_' || $1::text where user_id = $1::uuid returning customer_id)
       insert into public.subscriptions
         (customer_id, subscription_id, price_id, tier, status, current_period_start, current_period_end)
       select customer_id, 'sub_' || $1::text, 'price_courses_' || $2, $2, 'active', now() - interval '7 days',
              now() + interval '21 days' from customer`,
      [id, tier],
    );
  }
  return { id, token, email: `${id}@customers.example` };
}

const clientOf = (user: TestUser) =>
  createClient(app.url, app.anonKey, { accessToken: async () => user.token });

async function pay(user: TestUser): Promise<boolean> {
  const { data } = await clientOf(user).rpc('use_credits', {
    p_user_id: user.id,
    p_amount: 1,
    p_description: 'Course Video',
  });
  return data === true;
}

/** The upload of the page: resumable, in pieces. Answers why it was refused. */
function send(
  user: TestUser,
  bytes: Buffer,
  name: string,
  more: { folder?: string; type?: string; course?: string } = {},
) {
  const type = more.type ?? (name.endsWith('.webm') ? 'video/webm' : 'video/mp4');
  return new Promise<string | undefined>((resolve) => {
    new Upload(bytes, {
      endpoint: `${app.url}/storage/v1/upload/resumable`,
      headers: { authorization: `Bearer ${user.token}`, apikey: app.anonKey },
      metadata: {
        bucketName: 'course-videos',
        objectName: `${more.folder ?? user.id}/${Date.now()}_${name}`,
        contentType: type,
        metadata: JSON.stringify({ name, course: more.course }),
      },
      chunkSize: 2048,
      retryDelays: null,
      onSuccess: () => resolve(undefined),
      onError: (error) => resolve((error as DetailedError).originalResponse?.getBody() ?? error.message),
    }).start();
  });
}

async function lessonsOf(user: TestUser) {
  const { data, error } = await clientOf(user)
    .schema('northline_app')
    .from('course_lessons')
    .select('*')
    .order('position');
  expect(error).toBeNull();
  return data ?? [];
}

async function creditsOf(user: TestUser): Promise<number> {
  const { data } = await clientOf(user).from('customers').select('credits').maybeSingle();
  return data?.credits ?? 0;
}

async function usedOf(user: TestUser) {
  const { data } = await clientOf(user).from('user_subscription').select('*').single();
  return { uploads: data.course_uploads_used, minutes: data.video_minutes_used };
}

async function asConsole<T>(
  name: string,
  body?: object,
  { client }: Pick<TestAccount, 'client'> = operator,
): Promise<T> {
  const { data, error } = await client.functions.invoke(
    `operator-${name}`,
    body ? { body } : { method: 'GET' },
  );
  if (error !== null) throw Object.assign(error, { status: error.context.status });
  return data as T;
}

test('a length is refused beyond the minutes of the plan, never on an unlimited one', () => {
  claims('A catalogue that grows every month.');
  const plan = (videoMinutes: number) => ({
    name: 'Essential Plan',
    limits: { videoMinutes, creditsPerMonth: 1, storageMb: 250, websiteDesign: false },
  });
  expect(lengthRefusal(900.9, plan(15))).toBeUndefined();
  expect(lengthRefusal(902, plan(15))).toBe(COURSE_REFUSALS.tooLong(15, plan(15).name));
  expect(lengthRefusal(90_000, plan(-1))).toBeUndefined();
});

test('who has no course plan is told so, and nothing is taken', async () => {
  const refused = await send(ben, video('lesson.mp4'), 'lesson.mp4');
  expect(refused).toContain(COURSE_REFUSALS.noPlan);
  expect(await lessonsOf(ben)).toEqual([]);
});

test('what is no video, has no picture, lies in its header or is too long is refused and costs nothing', async () => {
  const essential = await subscriber('essential', 1);
  /** A lie in the header of an MP4: one minute, as `mvhd` counts it. */
  const lying = Buffer.from(video('lesson-16-minutes.mp4'));
  const header = lying.indexOf('mvhd');
  lying.writeUInt32BE(60 * lying.readUInt32BE(header + 16), header + 20);
  const attempts: [Buffer, string, string][] = [
    [
      Buffer.from('%PDF-1.4 not a video at all, whatever its name says'),
      'lesson.mp4',
      'File type not supported',
    ],
    [
      Buffer.concat([video('lesson.mp4').subarray(0, 600), Buffer.alloc(3000)]),
      'cut.mp4',
      COURSE_REFUSALS.unreadable,
    ],
    [video('lesson-sound-only.mp4'), 'tone.mp4', COURSE_REFUSALS.noPicture],
    [video('lesson-16-minutes.mp4'), 'long.mp4', 'at most 15 minutes'],
    [video('lesson-16-minutes.webm'), 'long.webm', 'at most 15 minutes'],
    [lying, 'lying.mp4', 'at most 15 minutes'],
  ];
  for (const [bytes, name, reason] of attempts) {
    expect(await pay(essential)).toBe(true);
    expect(await send(essential, bytes, name), name).toContain(reason);
    expect(await creditsOf(essential), name).toBe(1);
  }
  expect(await lessonsOf(essential)).toEqual([]);
  expect(await usedOf(essential)).toEqual({ uploads: 0, minutes: 0 });
  const { used } = await app.resources.database.one('select private.storage_used_bytes($1) as used', [
    essential.id,
  ]);
  expect(Number(used)).toBe(0);
});

test('a lesson is sent in pieces, counted, ordered, watched in ranges, answered and told of by mail', async () => {
  claims(
    'You send the lessons as videos in your dashboard, put them in order there, and see where we are with each.',
    'You send the lessons as videos in your dashboard, put them in order there and see where we are with each.',
    'You ask about a lesson beside it, and we answer there.',
    'When a lesson is published you are told by mail.',
    'Upload a video: it goes on by itself when the line breaks.',
    '… sent "…", … long, for the course "…".',
    'Lessons that customers sent, newest first.',
    'What you write is mailed to the customer.',
    'Ask or tell us anything about this lesson.',
    'The lesson is saved.',
  );
  expect(await pay(anna)).toBe(true);
  expect(await send(anna, video('lesson.mp4'), 'Första lektionen.mp4')).toBeUndefined();
  expect(await pay(anna)).toBe(true);
  expect(await send(anna, video('lesson.webm'), 'second.webm')).toBeUndefined();
  expect(await pay(anna)).toBe(false);
  const [first, second] = await lessonsOf(anna);
  expect(first).toMatchObject({
    title: 'Första lektionen',
    position: 1,
    state: 'received',
    mime_type: 'video/mp4',
  });
  expect(first.duration_seconds).toBeCloseTo(3, 1);
  expect(second.duration_seconds).toBeCloseTo(2, 1);
  expect(await usedOf(anna)).toEqual({ uploads: 2, minutes: 1 });
  // Credits from elsewhere are no course uploads.
  await app.resources.database.run('update public.customers set credits = 5 where user_id = $1', [anna.id]);
  expect(await pay(anna)).toBe(true);
  expect(await send(anna, video('lesson.mp4'), 'third.mp4')).toContain(COURSE_REFUSALS.noUploads);
  expect(await lessonsOf(anna)).toHaveLength(2);

  const client = clientOf(anna);
  expect(
    (await client.schema('northline_app').rpc('order_course_lessons', { p_ids: [second.id, first.id] })).data,
  ).toBe(true);
  expect(
    (await client.schema('northline_app').rpc('order_course_lessons', { p_ids: [second.id] })).data,
  ).toBe(false);
  expect((await lessonsOf(anna)).map(({ id }) => id)).toEqual([second.id, first.id]);
  await client
    .schema('northline_app')
    .from('course_lessons')
    .update({ title: 'Welcome', notes: 'Cut the start.' })
    .eq('id', first.id);

  const { data } = await client.storage.from('course-videos').createSignedUrl(first.file_path, 60);
  const piece = await fetch(data?.signedUrl ?? '', { headers: { range: 'bytes=4-7' } });
  expect([piece.status, await piece.text()]).toEqual([206, 'ftyp']);

  const wrote = await client.functions.invoke('course-message', {
    body: { lesson_id: first.id, text: 'Is it loud enough?' },
  });
  expect(wrote.error).toBeNull();
  const browser = await openPushBrowser(app, service, anna.id);
  const sent = await asConsole<ConsoleLessonPage>('lessons?list=all');
  expect(sent.rows.slice(0, 2).map(({ id }) => id)).toEqual([second.id, first.id]);
  const { rows } = await asConsole<ConsoleLessonPage>(
    `lessons?list=waiting&q=${encodeURIComponent('Welcome')}`,
  );
  expect(rows.map(({ id, waits_for_answer: waits }) => [id, waits])).toEqual([[first.id, true]]);
  await asConsole('lesson-answer', { id: first.id, text: 'It is.' });
  await asConsole('lesson-state', {
    id: first.id,
    state: 'published',
    url: 'https://school.example/welcome',
  });
  const detail = await asConsole<ConsoleLessonDetail>(`lesson?id=${first.id}`);
  expect(detail.messages.map(({ body }) => body)).toEqual(['Is it loud enough?', 'It is.']);
  expect(detail.lesson).toMatchObject({
    state: 'published',
    waits_for_answer: false,
    customer_email: anna.email,
  });
  const { url } = await asConsole<{ url: string }>('lesson-video', { id: first.id });
  expect((await fetch(`${app.url}${url}`, { headers: { range: 'bytes=0-9' } })).status).toBe(206);
  expect((await lessonsOf(anna))[1]).toMatchObject({ published_url: 'https://school.example/welcome' });

  // Those of the background may be on their way as well; each is sent once.
  const agency = app.resources.settings.CONTACT_EMAIL;
  const sentMails = async (): Promise<string[]> => {
    await sendCourseMails(app.resources);
    // As if the customer had had time to read the answer.
    await app.resources.database.run(
      "update northline_app.messages set sent_at = sent_at - interval '2 minutes' where user_id = $1",
      [anna.id],
    );
    await sendMessageMails(app.resources);
    const mails = await app.resources.database.many(
      "select recipient, subject from private.mails where subject like '% Welcome' or subject like '%lektionen'",
    );
    return mails
      .map(({ recipient, subject }) => `${recipient}: ${subject.replace(/received: .*/, 'received')}`)
      .sort();
  };
  await expect
    .poll(sentMails)
    .toEqual(
      [
        `${agency}: A lesson was received`,
        `${agency}: A customer wrote about Welcome`,
        `${anna.email}: About your lesson Welcome`,
        `${anna.email}: Published: Welcome`,
      ].sort(),
    );
  await expect.poll(() => browser.received.length).toBe(2);
  // Without the words of the answer, which are between the customer and the agency.
  expect(
    browser.received.map(({ title, body, path: page }) => `${title} | ${body} | ${page}`).sort(),
  ).toEqual([
    'About your lesson Welcome | You have an answer. Open your course to read it. | /dashboard/courses',
    'Published: Welcome | Your lesson "Welcome" is now: Published. | /dashboard/courses',
  ]);
  // Another language from the moment in which it is chosen.
  await app.resources.database.run(
    `update auth.users set raw_user_meta_data = '{"locale": "de"}' where id = $1`,
    [anna.id],
  );
  const states = async (): Promise<string[]> => {
    await sendCourseMails(app.resources);
    const mails = await app.resources.database.many(
      "select subject, body_text from private.mails where recipient = $1 and subject ~ '^(In Arbeit|In work|Received)'",
      [anna.email],
    );
    return mails.map(({ subject, body_text: text }) => `${subject} | ${text.split('\n\n')[1]}`);
  };
  await asConsole('lesson-state', { id: first.id, state: 'in_work' });
  await expect.poll(states).toEqual(['In Arbeit: Welcome | Ihre Lektion „Welcome“ ist jetzt in Arbeit.']);
  await app.resources.database.run(
    `update auth.users set raw_user_meta_data = '{"locale": "en"}' where id = $1`,
    [anna.id],
  );
  await asConsole('lesson-state', { id: first.id, state: 'received' });
  await expect.poll(states).toContain('Received: Welcome | Your lesson "Welcome" is now: Received.');
  await asConsole('lesson-state', { id: first.id, state: 'in_work' });
  await expect.poll(states).toContain('In work: Welcome | Your lesson "Welcome" is now: In work.');
  const textsOf = async (): Promise<string[]> => {
    const mails = await app.resources.database.many(
      "select body_text from private.mails where subject like 'A lesson was received: %' and body_text like '%second%'",
    );
    return mails.map(({ body_text: text }) => text.replace(/\s+/g, ' '));
  };
  await expect
    .poll(textsOf)
    .toEqual([
      expect.stringContaining(`${anna.email} sent "second", 0:02 long, for the course "My course".`),
    ]);
  const audited = await app.resources.database.many(
    "select action from private.operator_audit where action like 'course.%' order by id",
  );
  expect(audited.map(({ action }) => action)).toEqual([
    'course.answer',
    'course.state',
    'course.watch',
    'course.state',
    'course.state',
    'course.state',
  ]);

  // A deleted lesson stays counted, and its bytes belong to nobody.
  await client.schema('northline_app').from('course_lessons').delete().eq('id', second.id);
  expect(await usedOf(anna)).toEqual({ uploads: 2, minutes: 1 });
  const { data: left } = await client.storage.from('course-videos').list(anna.id);
  expect(left).toHaveLength(1);
});

test('a customer has several courses: made, named, put in order, lessons moved between them, seen at the console', async () => {
  claims('Lessons can be in several courses.', 'Several courses in one plan, each with its own lessons.');
  const faye = await subscriber('professional', 2);
  const client = clientOf(faye);
  const call = (name: string, given: object) => client.schema('northline_app').rpc(name, given);
  const coursesNow = async () =>
    (await client.schema('northline_app').from('courses').select('id, title').order('position')).data?.map(
      ({ title }) => title,
    );
  expect(await pay(faye)).toBe(true);
  expect(await send(faye, video('lesson.mp4'), 'one.mp4')).toBeUndefined();
  // The first lesson brings a course along.
  expect(await coursesNow()).toEqual(['My course']);
  const { data: made } = await call('create_course', { p_title: '  Barista basics ' });
  expect(await pay(faye)).toBe(true);
  expect(await send(faye, video('lesson.webm'), 'two.webm', { course: made })).toBeUndefined();
  const [one, two] = await lessonsOf(faye).then((rows) =>
    rows.sort((a, b) => String(a.title).localeCompare(String(b.title))),
  );
  expect([one.position, two.position, two.course_id]).toEqual([1, 1, made]);
  // The limits are the customer's, not a course's.
  expect(await usedOf(faye)).toEqual({ uploads: 2, minutes: 1 });
  await app.resources.database.run('update public.customers set credits = 5 where user_id = $1', [faye.id]);
  expect(await pay(faye)).toBe(true);
  expect(await send(faye, video('lesson.mp4'), 'three.mp4', { course: made })).toContain(
    COURSE_REFUSALS.noUploads,
  );

  await client.schema('northline_app').from('courses').update({ title: 'Welcome' }).eq('id', one.course_id);
  expect((await call('order_courses', { p_ids: [made, one.course_id] })).data).toBe(true);
  expect(await coursesNow()).toEqual(['Barista basics', 'Welcome']);
  expect((await call('order_courses', { p_ids: [made] })).data).toBe(false);
  // Each course has an order of its own.
  expect((await call('order_course_lessons', { p_ids: [one.id, two.id] })).data).toBe(false);
  expect((await call('move_lesson', { p_lesson: one.id, p_course: made })).data).toBe(true);
  expect((await call('order_course_lessons', { p_ids: [one.id, two.id] })).data).toBe(true);
  const { rows } = await asConsole<ConsoleLessonPage>(`lessons?list=all&q=${encodeURIComponent('Barista')}`);
  expect(
    rows
      .map(({ title, course_title: course, position, course_lessons: of }) => [title, course, position, of])
      .sort(),
  ).toEqual([
    ['one', 'Barista basics', 1, 2],
    ['two', 'Barista basics', 2, 2],
  ]);

  const refused = async (name: string, given: object) => (await call(name, given)).error?.message;
  expect(await refused('delete_course', { p_id: made })).toBe(
    'There are lessons in this course: move or delete them first.',
  );
  expect((await call('delete_course', { p_id: one.course_id })).data).toBe(true);
  expect(await refused('create_course', { p_title: ' ' })).toBe(
    'A course has a title of 1 to 200 characters.',
  );
  await app.resources.database.run(
    `insert into northline_app.courses (user_id, title, position)
     select $1, 'Course ' || n, n from generate_series(2, 50) as n`,
    [faye.id],
  );
  expect(await refused('create_course', { p_title: 'One more' })).toBe(
    'There are 50 courses at most. Delete one that has no lessons first.',
  );

  // Another customer reaches none of them, by whatever call; an account takes all of it along.
  const mallory = clientOf(ben);
  const { data: own } = await mallory.schema('northline_app').rpc('create_course', { p_title: 'Mine' });
  expect((await mallory.schema('northline_app').from('courses').select('title')).data).toEqual([
    { title: 'Mine' },
  ]);
  expect(
    (await mallory.schema('northline_app').rpc('move_lesson', { p_lesson: one.id, p_course: own })).data,
  ).toBe(false);
  expect(
    (await client.schema('northline_app').rpc('move_lesson', { p_lesson: one.id, p_course: own })).data,
  ).toBe(false);
  expect((await mallory.schema('northline_app').rpc('delete_course', { p_id: made })).data).toBe(false);
  expect((await mallory.schema('northline_app').rpc('order_courses', { p_ids: [made] })).data).toBe(false);
  expect(
    (await mallory.schema('northline_app').from('courses').update({ title: 'x' }).eq('id', made).select())
      .data,
  ).toEqual([]);
  const forged = { user_id: faye.id, title: 'x', position: 1 };
  expect((await mallory.schema('northline_app').from('courses').insert(forged)).error?.code).toBe('42501');
  expect(
    (await client.schema('northline_app').from('course_lessons').update({ course_id: own }).eq('id', one.id))
      .error?.code,
  ).toBe('42501');
  await app.resources.database.run('delete from auth.users where id = $1', [faye.id]);
  expect(
    await app.resources.database.many('select 1 from northline_app.courses where user_id = $1', [faye.id]),
  ).toEqual([]);
});

test('of many videos at once for the last upload of the month one is taken, before a byte of the others', async () => {
  const dora = await subscriber('essential', 6);
  for (let paid = 1; paid <= 6; paid += 1) expect(await pay(dora)).toBe(true);
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, (_, at) => send(dora, video('lesson.mp4'), `${at}.mp4`)),
  );
  expect(outcomes.filter((refused) => refused === undefined)).toHaveLength(1);
  expect(outcomes.filter((refused) => refused?.includes(COURSE_REFUSALS.noUploads))).toHaveLength(5);
  expect(await usedOf(dora)).toMatchObject({ uploads: 1 });
  expect(await creditsOf(dora)).toBe(5);
});

test('a video on its way holds its place of the month until it is ended', async () => {
  const edna = await subscriber('essential', 2);
  const { database } = app.resources;
  const begin = async (): Promise<string> => {
    expect(await pay(edna)).toBe(true);
    const id = randomUUID();
    await database.one("select private.begin_upload($1, 'course-videos', $2, $3, 9, 9, '1 hour') as room", [
      id,
      `${edna.id}/${id}.mp4`,
      edna.id,
    ]);
    return id;
  };
  const first = await begin();
  // The rules at the door count what is stored only: both have passed them.
  await expect(begin()).rejects.toThrow('no course upload left');
  await database.run('delete from private.uploads where id = $1', [first]);
  await begin();
});

test('an unfinished video goes on or is ended by its id, and its credit comes back', async () => {
  claims(
    'This is another file: … has ….',
    'Choose the same file again to go on, or end it: then the upload is yours again.',
  );
  const carla = await subscriber('essential', 1);
  expect(await pay(carla)).toBe(true);
  const headers = { authorization: `Bearer ${carla.token}`, apikey: app.anonKey, 'tus-resumable': '1.0.0' };
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const bytes = video('lesson.mp4');
  const begun = await fetch(`${app.url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(bytes.length),
      'upload-metadata': `bucketName ${encoded('course-videos')},objectName ${encoded(`${carla.id}/1_a.mp4`)},contentType ${encoded('video/mp4')},metadata ${encoded('{"name":"a.mp4"}')}`,
      'content-type': 'application/offset+octet-stream',
    },
    body: new Uint8Array(bytes.subarray(0, 1000)),
  });
  expect(begun.status).toBe(201);
  const { data } = await clientOf(carla)
    .schema('northline_app')
    .rpc('unfinished_uploads', { p_bucket: 'course-videos' });
  expect(data).toMatchObject([{ file_name: 'a.mp4', received: 1000, length: bytes.length }]);
  expect(
    (await clientOf(anna).schema('northline_app').rpc('unfinished_uploads', { p_bucket: 'course-videos' }))
      .data,
  ).toEqual([]);
  const address = `${app.url}/storage/v1/upload/resumable/${data[0].id}`;
  const anothers = { ...headers, authorization: `Bearer ${anna.token}` };
  expect((await fetch(address, { method: 'DELETE', headers: anothers })).status).toBe(404);
  expect((await fetch(address, { method: 'DELETE', headers })).status).toBe(204);
  expect(await creditsOf(carla)).toBe(1);
});

test("attacks: another's folder, an upload without a credit, foreign lessons, states and the console are refused", async () => {
  claims(
    'The lesson is deleted.',
    'The video, its notes and messages will be removed from our servers.',
    'This cannot be undone, and the upload that it took is not given back.',
  );
  const mallory = await subscriber('enterprise', 5);
  const client = clientOf(mallory);
  const [lesson] = await lessonsOf(anna);
  expect(await send(mallory, video('lesson.mp4'), 'x.mp4')).toContain('Insufficient credits');
  expect(await pay(mallory)).toBe(true);
  expect(await send(mallory, video('lesson.mp4'), 'x.mp4', { folder: anna.id })).toContain(
    'row-level security',
  );
  expect((await client.storage.from('course-videos').download(lesson.file_path)).error).not.toBeNull();
  expect(
    (await client.storage.from('course-videos').createSignedUrl(lesson.file_path, 60)).error,
  ).not.toBeNull();
  const moved = await client.storage
    .from('user-uploads')
    .copy('nothing', `${mallory.id}/x.mp4`, { destinationBucket: 'course-videos' });
  expect(moved.error).not.toBeNull();
  expect((await client.schema('northline_app').from('course_lessons').select('id')).data).toEqual([]);
  expect((await client.schema('northline_app').from('course_messages').select('id')).data).toEqual([]);
  expect((await client.schema('northline_app').from('course_uploads').select('object_id')).data).toEqual([]);
  const stolen = await client
    .schema('northline_app')
    .from('course_lessons')
    .update({ title: 'Mine' })
    .eq('id', lesson.id)
    .select();
  expect(stolen.data ?? []).toEqual([]);
  const before = await lessonsOf(anna);
  await client.schema('northline_app').from('course_lessons').delete().eq('id', lesson.id);
  expect(await lessonsOf(anna)).toEqual(before);
  const written = await client.functions.invoke('course-message', {
    body: { lesson_id: lesson.id, text: 'hello' },
  });
  expect(written.error?.context.status).toBe(404);
  // A customer sets no state, writes no message of the agency, and clears no count.
  const own = clientOf(anna);
  expect(
    (
      await own
        .schema('northline_app')
        .from('course_lessons')
        .update({ state: 'published' })
        .eq('id', lesson.id)
    ).error,
  ).not.toBeNull();
  expect(
    (
      await own
        .schema('northline_app')
        .from('course_lessons')
        .update({ duration_seconds: 1 })
        .eq('id', lesson.id)
    ).error,
  ).not.toBeNull();
  const forged = { lesson_id: lesson.id, user_id: anna.id, from_agency: true, body: 'Free for ever' };
  expect((await own.schema('northline_app').from('course_messages').insert(forged)).error).not.toBeNull();
  expect(
    (await own.schema('northline_app').from('course_uploads').delete().eq('user_id', anna.id)).error,
  ).not.toBeNull();
  for (const name of ['lessons', `lesson?id=${lesson.id}`]) {
    await expect(asConsole(name, undefined, { client: own }), name).rejects.toMatchObject({ status: 403 });
  }
  for (const [name, body] of [
    ['lesson-video', { id: lesson.id }],
    ['lesson-state', { id: lesson.id, state: 'published' }],
    ['lesson-answer', { id: lesson.id, text: 'x' }],
  ] as const) {
    await expect(asConsole(name, body, { client: own }), name).rejects.toMatchObject({ status: 403 });
  }
  const script = asConsole('lesson-state', { id: lesson.id, state: 'published', url: 'javascript:alert(1)' });
  await expect(script).rejects.toMatchObject({ status: 400 });
});
