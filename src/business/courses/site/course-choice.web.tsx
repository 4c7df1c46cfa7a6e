import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import { announce } from '../../files/list/announcer.web.tsx';
import { type Course, LESSON_LENGTHS, type Lesson } from '../course-videos.contract.ts';
import { createCourse, deleteCourse, orderCourses, renameCourse } from './course-changes.web.ts';
import { refreshCourse } from './lesson-changes.web.ts';
import { MoveButtons } from './move-buttons.web.tsx';

interface CourseChoiceProps {
  readonly courses: readonly Course[];
  readonly lessons: readonly Lesson[];
  /** The one that is shown; undefined while there is none. */
  readonly chosen: Course | undefined;
  readonly onChoose: (id: string) => void;
}

/** The courses to choose from, and what is done with the chosen one: named, moved among the others, deleted when empty. */
export function CourseChoice({ courses, lessons, chosen, onChoose }: CourseChoiceProps) {
  const [form, setForm] = useState<'new' | 'rename'>();
  const { busy, run } = useCourseChange();
  const list = useRef<HTMLUListElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // The form, which had the focus, is gone.
    if (form === undefined && wasOpen.current)
      list.current?.querySelector<HTMLElement>('[aria-pressed="true"], .course-new')?.focus();
    wasOpen.current = form !== undefined;
  }, [form]);
  const countOf = (id: string): number => lessons.filter(({ course_id: course }) => course === id).length;
  const save = async (title: string): Promise<void> => {
    const done = await run(async () => {
      if (form === 'rename' && chosen !== undefined) await renameCourse(chosen.id, title);
      else onChoose(await createCourse(title));
    });
    if (done) setForm(undefined);
  };
  return (
    <section className="course-choice" aria-label="Courses">
      <ul ref={list}>
        {courses.map(({ id, title }) => (
          <li key={id}>
            <button type="button" aria-pressed={id === chosen?.id} onClick={() => onChoose(id)}>
              {title} <span className="count num">{countOf(id)}</span>
            </button>
          </li>
        ))}
        <li>
          <button type="button" className="course-new" onClick={() => setForm('new')}>
            <Plus size={18} aria-hidden="true" />
            New course
          </button>
        </li>
      </ul>
      {form !== undefined && (
        <TitleForm
          key={form}
          label={form === 'new' ? 'Title of the new course' : 'Title of the course'}
          title={form === 'rename' ? (chosen?.title ?? '') : ''}
          busy={busy}
          onSave={(title) => void save(title)}
          onCancel={() => setForm(undefined)}
        />
      )}
      {chosen !== undefined && form === undefined && (
        <CourseActs
          courses={courses}
          chosen={chosen}
          isEmpty={countOf(chosen.id) === 0}
          busy={busy}
          run={run}
          onRename={() => setForm('rename')}
        />
      )}
    </section>
  );
}

type Run = (work: () => Promise<void>) => Promise<boolean>;

/** One change of the courses after the other; says what was refused, and whether it was done. */
function useCourseChange(): { readonly busy: boolean; readonly run: Run } {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const run: Run = async (work) => {
    setBusy(true);
    try {
      await work();
      return true;
    } catch (error) {
      toast.error((error as Error).message);
      return false;
    } finally {
      await refreshCourse(queries);
      setBusy(false);
    }
  };
  return { busy, run };
}

interface CourseActsProps {
  readonly courses: readonly Course[];
  readonly chosen: Course;
  readonly isEmpty: boolean;
  readonly busy: boolean;
  readonly run: Run;
  readonly onRename: () => void;
}

function CourseActs({ courses, chosen, isEmpty, busy, run, onRename }: CourseActsProps) {
  const place = courses.findIndex(({ id }) => id === chosen.id);
  const move = (to: number): void => {
    const next = courses.filter(({ id }) => id !== chosen.id);
    next.splice(to, 0, chosen);
    void run(() => orderCourses(next.map(({ id }) => id))).then((done) => {
      if (done) announce(`${chosen.title} is now course ${to + 1} of ${courses.length}`);
    });
  };
  return (
    <p className="course-acts">
      <button type="button" className="text-btn" onClick={onRename}>
        Rename
      </button>
      {courses.length > 1 && (
        <MoveButtons
          name={chosen.title}
          place={place}
          count={courses.length}
          beside
          busy={busy}
          onMove={move}
        />
      )}
      {isEmpty && (
        <button
          type="button"
          className="text-btn"
          disabled={busy}
          onClick={() => void run(() => deleteCourse(chosen.id))}
        >
          Delete this course
        </button>
      )}
    </p>
  );
}

interface TitleFormProps {
  readonly label: string;
  readonly title: string;
  readonly busy: boolean;
  readonly onSave: (title: string) => void;
  readonly onCancel: () => void;
}

function TitleForm({ label, title: before, busy, onSave, onCancel }: TitleFormProps) {
  const [title, setTitle] = useState(before);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSave(title.trim());
  };
  return (
    <form className="course-title" onSubmit={send}>
      <div className="field">
        <label htmlFor="course-title">{label}</label>
        <input
          ref={field}
          id="course-title"
          required
          maxLength={LESSON_LENGTHS.title}
          autoComplete="off"
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        />
      </div>
      <Button small look="quiet" type="submit" busy={busy} disabled={title.trim() === ''}>
        Save
      </Button>
      <Button small look="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </form>
  );
}
