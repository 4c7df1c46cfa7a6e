import { queryOptions } from '@tanstack/react-query';
import { ownTables } from '../../../ui/session/client.ts';
import type { Course } from '../course-videos.contract.ts';

/** Said where the database has no sentence of its own. */
const FAILED = 'Your courses could not be changed. Please try again.';

/** The user's courses in their order; empty before the first lesson. */
export function coursesQuery(userId: string) {
  return queryOptions({
    queryKey: ['courses', userId],
    async queryFn(): Promise<Course[]> {
      const { data, error } = await (await ownTables())
        .from('courses')
        .select('id, title, position')
        .eq('user_id', userId)
        .order('position')
        .order('id')
        .returns<Course[]>();
      if (error !== null) throw error;
      return data;
    },
  });
}

/** Calls one of the procedures about courses. @throws Error with the sentence of what was refused */
async function change<Answer>(name: string, given: Record<string, unknown>): Promise<Answer> {
  const { data, error, status } = await (await ownTables()).rpc(name, given);
  if (error !== null) throw new Error(status === 400 ? error.message : FAILED, { cause: error });
  return data as Answer;
}

/** Makes a course behind the others; answers its id. @throws Error with a sentence */
export const createCourse = (title: string): Promise<string> => change('create_course', { p_title: title });

/** Deletes a course without lessons. @throws Error with a sentence, also where it has some */
export async function deleteCourse(id: string): Promise<void> {
  await change<boolean>('delete_course', { p_id: id });
}

/** Gives the courses this order. @throws Error with a sentence, also where they have changed meanwhile */
export async function orderCourses(ids: readonly string[]): Promise<void> {
  if (!(await change<boolean>('order_courses', { p_ids: ids }))) throw new Error(FAILED);
}

/** Puts a lesson behind those of another course. @throws Error with a sentence */
export async function moveLesson(lessonId: string, courseId: string): Promise<void> {
  if (!(await change<boolean>('move_lesson', { p_lesson: lessonId, p_course: courseId })))
    throw new Error(FAILED);
}

/** Gives a course another title. @throws Error with a sentence */
export async function renameCourse(id: string, title: string): Promise<void> {
  const { error } = await (await ownTables()).from('courses').update({ title }).eq('id', id);
  if (error !== null) throw new Error(FAILED, { cause: error });
}
