import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { COURSE_VIDEOS_BUCKET, LIMITS } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { OWN_SCHEMA, SERVICES } from '../../../kernel/contract/routes.ts';
import { ownTables, supabase } from '../../../ui/session/client.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import type { Lesson, LessonMessage } from '../course-videos.contract.ts';

/** The agency's part changes without us: the tab asks again while it is open, ms. */
const REFRESH_MS = 20_000;
const COLUMNS =
  'id, course_id, file_path, file_name, file_size, duration_seconds, title, notes, position, state, published_url, created_at';

/** The user's lessons, those of each course in its order. */
export function lessonsQuery(userId: string) {
  return queryOptions({
    queryKey: ['lessons', userId],
    refetchInterval: REFRESH_MS,
    async queryFn(): Promise<Lesson[]> {
      const { data, error } = await (await ownTables())
        .from('course_lessons')
        .select(COLUMNS)
        .eq('user_id', userId)
        .order('position')
        .order('id')
        .returns<Lesson[]>();
      if (error !== null) throw error;
      return data;
    },
  });
}

/** What was written about the user's lessons, oldest first. */
export function messagesQuery(userId: string) {
  return queryOptions({
    queryKey: ['lesson messages', userId],
    refetchInterval: REFRESH_MS,
    async queryFn(): Promise<LessonMessage[]> {
      const { data, error } = await (await ownTables())
        .from('course_messages')
        .select('id, lesson_id, from_agency, body, created_at')
        .eq('user_id', userId)
        .order('created_at')
        .returns<LessonMessage[]>();
      if (error !== null) throw error;
      return data;
    },
  });
}

/** Title or notes of a lesson. @throws the service's error */
export async function writeLesson(
  id: string,
  change: Partial<Pick<Lesson, 'title' | 'notes'>>,
): Promise<void> {
  const { error } = await (await ownTables()).from('course_lessons').update(change).eq('id', id);
  if (error !== null) throw error;
}

/**
 * Deletes a lesson and its video.
 *
 * @throws the service's error
 * @trigger northline_app.course_lessons delete_lesson_object
 */
export async function deleteLesson(id: string): Promise<void> {
  const client = await supabase();
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new Error(MESSAGES.delete.required);
  const { error } = await client.schema(OWN_SCHEMA).from('course_lessons').delete().eq('id', id);
  if (error !== null) throw error;
}

/** Gives a course this order; false when the lessons have changed meanwhile. @throws the service's error */
export async function orderLessons(ids: readonly string[]): Promise<boolean> {
  const { data, error } = await (await ownTables()).rpc('order_course_lessons', { p_ids: ids });
  if (error !== null) throw error;
  return data === true;
}

/** Writes to the agency about a lesson. @throws CallRefused */
export async function writeMessage(lessonId: string, text: string): Promise<void> {
  await callServer(`${SERVICES.functions}/course-message`, {
    as: 'user',
    body: { lesson_id: lessonId, text },
  });
}

/** An address of an hour that plays the video, in ranges. @throws the service's error */
export async function videoAddress(lesson: Pick<Lesson, 'file_path'>): Promise<string> {
  const { data, error } = await (await supabase()).storage
    .from(COURSE_VIDEOS_BUCKET)
    .createSignedUrl(lesson.file_path, LIMITS.signedUrlSeconds);
  if (error !== null) throw error;
  return data.signedUrl;
}

/** Asks again for everything that a change of lessons moves. */
export async function refreshCourse(queries: QueryClient): Promise<void> {
  const keys = ['courses', 'lessons', 'lesson messages', 'unfinished', 'customer', 'subscription'];
  await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
