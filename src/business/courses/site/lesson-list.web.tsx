import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { type PointerEvent, useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { announce } from '../../files/list/announcer.web.tsx';
import type { Course, Lesson } from '../course-videos.contract.ts';
import { lessonsQuery, messagesQuery, orderLessons } from './lesson-changes.web.ts';
import { LessonRow } from './lesson-row.web.tsx';

interface LessonListProps {
  readonly query: UseQueryResult<Lesson[]>;
  readonly userId: string;
  readonly courses: readonly Course[];
  /** The course that is shown; undefined before the first lesson. */
  readonly course: Course | undefined;
}

/** The lessons of a course in its order, which is changed by dragging or by the buttons of each. */
export function LessonList({ query, userId, courses, course }: LessonListProps) {
  const messages = useQuery(messagesQuery(userId));
  const [openId, setOpenId] = useState<string>();
  const lessons = query.data?.filter(({ course_id: id }) => course === undefined || id === course.id);
  const order = useOrder(userId, lessons ?? []);
  if (lessons === undefined) {
    return query.isError ? (
      <div className="panel empty" role="alert">
        <b>Your lessons could not be loaded</b>
        <p className="meta">Check your connection and try again.</p>
        <Button small look="quiet" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </div>
    ) : (
      <div className="panel pad meta" aria-busy="true">
        One moment…
      </div>
    );
  }
  if (lessons.length === 0) {
    return (
      <div className="panel empty">
        <EmptyMark />
        <b>{courses.length > 1 ? 'No lessons in this course yet' : 'No lessons yet'}</b>
        <p className="meta">Send an MP4 or WebM video, or drop it anywhere on this page.</p>
      </div>
    );
  }
  return (
    <section aria-labelledby="lessons-title">
      <h2 id="lessons-title">
        {courses.length > 1 ? course?.title : 'Your lessons'}{' '}
        <span className="count num">{lessons.length}</span>
      </h2>
      <ol className="panel rows lessons" ref={order.list}>
        {lessons.map((lesson, index) => (
          <LessonRow
            key={lesson.id}
            lesson={lesson}
            courses={courses}
            place={{ index, count: lessons.length, aim: order.aim === index && order.from !== index }}
            messages={(messages.data ?? []).filter(({ lesson_id: id }) => id === lesson.id)}
            open={openId === lesson.id}
            onOpen={(open) => setOpenId(open ? lesson.id : undefined)}
            onMove={(to) => void order.move(index, to)}
            drag={{
              dragged: order.from === index,
              onPointerDown: (event) => order.begin(event, index),
              onPointerMove: order.follow,
              onPointerUp: order.drop,
              onPointerCancel: order.stop,
            }}
          />
        ))}
      </ol>
    </section>
  );
}

/** Moves lessons: at once on the page, then at the server, and back when that refuses. */
function useOrder(userId: string, lessons: readonly Lesson[]) {
  const queries = useQueryClient();
  const list = useRef<HTMLOListElement>(null);
  const [from, setFrom] = useState<number>();
  const [aim, setAim] = useState<number>();
  const stop = (): void => {
    setFrom(undefined);
    setAim(undefined);
  };
  const move = async (at: number, to: number): Promise<void> => {
    const moved = lessons[at];
    if (moved === undefined || at === to || to < 0 || to >= lessons.length) return;
    const next = lessons.filter((lesson) => lesson !== moved);
    next.splice(to, 0, moved);
    const { queryKey } = lessonsQuery(userId);
    await queries.cancelQueries({ queryKey });
    const places = next.map(({ id }) => id);
    // Those of other courses stay where they are.
    queries.setQueryData<Lesson[]>(queryKey, (all) => [
      ...(all ?? []).filter(({ id }) => !places.includes(id)),
      ...next,
    ]);
    announce(`${moved.title} is now lesson ${to + 1} of ${lessons.length}`);
    const kept = await orderLessons(places).catch(() => false);
    if (!kept) toast.error('The order could not be saved. Please try again.');
    await queries.invalidateQueries({ queryKey });
  };
  return {
    list,
    from,
    aim,
    move,
    stop,
    begin(event: PointerEvent<HTMLElement>, index: number): void {
      event.currentTarget.setPointerCapture(event.pointerId);
      setFrom(index);
      setAim(index);
    },
    follow(event: PointerEvent<HTMLElement>): void {
      if (from === undefined) return;
      const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect());
      const over = rows.findIndex(({ bottom }) => event.clientY < bottom);
      setAim(over === -1 ? rows.length - 1 : over);
    },
    drop(): void {
      if (from !== undefined && aim !== undefined) void move(from, aim);
      stop();
    },
  };
}
