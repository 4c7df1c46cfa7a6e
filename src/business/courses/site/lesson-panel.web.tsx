import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { type Course, LESSON_LENGTHS, type Lesson, type LessonMessage } from '../course-videos.contract.ts';
import { moveLesson } from './course-changes.web.ts';
import {
  deleteLesson,
  refreshCourse,
  videoAddress,
  writeLesson,
  writeMessage,
} from './lesson-changes.web.ts';
import { LessonMessages } from './lesson-messages.web.tsx';
import { LessonVideo } from './lesson-video.web.tsx';

interface LessonPanelProps {
  readonly lesson: Lesson;
  readonly courses: readonly Course[];
  readonly messages: readonly LessonMessage[];
}

/** An opened lesson: watched, named, described, moved to another course, talked about, deleted. */
export function LessonPanel({ lesson, courses, messages }: LessonPanelProps) {
  const queries = useQueryClient();
  return (
    <div className="lesson-panel">
      <LessonVideo title={lesson.title} addressOf={() => videoAddress(lesson)} />
      {lesson.published_url !== null && (
        <p>
          <a href={lesson.published_url} rel="noreferrer" target="_blank">
            See it where it is published
          </a>
        </p>
      )}
      <LessonWords lesson={lesson} />
      {courses.length > 1 && <LessonCourse lesson={lesson} courses={courses} />}
      <LessonMessages
        messages={messages}
        own="You"
        other="The agency"
        label={`Message about ${lesson.title}`}
        empty="Nothing was written yet. Ask or tell us anything about this lesson."
        onSend={async (text) => {
          await writeMessage(lesson.id, text);
          await refreshCourse(queries);
        }}
      />
      <LessonDeletion lesson={lesson} />
    </div>
  );
}

function LessonWords({ lesson }: { lesson: Lesson }) {
  const queries = useQueryClient();
  const [title, setTitle] = useState(lesson.title);
  const [notes, setNotes] = useState(lesson.notes);
  const [busy, setBusy] = useState(false);
  const changed = title.trim() !== lesson.title || notes !== lesson.notes;
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await writeLesson(lesson.id, { title: title.trim(), notes });
      toast.success('The lesson is saved.');
    } catch {
      toast.error('The lesson could not be saved. Please try again.');
    } finally {
      setBusy(false);
      await refreshCourse(queries);
    }
  };
  return (
    <form className="lesson-words" onSubmit={(event) => void save(event)}>
      <div className="field">
        <label htmlFor={`title-${lesson.id}`}>Title</label>
        <input
          id={`title-${lesson.id}`}
          required
          maxLength={LESSON_LENGTHS.title}
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        />
      </div>
      <div className="field">
        <label htmlFor={`notes-${lesson.id}`}>Notes for the agency</label>
        <textarea
          id={`notes-${lesson.id}`}
          rows={3}
          maxLength={LESSON_LENGTHS.notes}
          value={notes}
          onChange={({ currentTarget }) => setNotes(currentTarget.value)}
        />
      </div>
      <Button small look="quiet" type="submit" busy={busy} disabled={!changed || title.trim() === ''}>
        Save lesson
      </Button>
    </form>
  );
}

/** The course that the lesson is in, and the others to put it into. */
function LessonCourse({ lesson, courses }: { lesson: Lesson; courses: readonly Course[] }) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const move = async (id: string): Promise<void> => {
    setBusy(true);
    try {
      await moveLesson(lesson.id, id);
      toast.success(`${lesson.title} is now in ${courses.find((course) => course.id === id)?.title}`);
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      await refreshCourse(queries);
      setBusy(false);
    }
  };
  return (
    <div className="field">
      <label htmlFor={`course-of-${lesson.id}`}>Course</label>
      <select
        id={`course-of-${lesson.id}`}
        value={lesson.course_id}
        disabled={busy}
        onChange={({ currentTarget }) => void move(currentTarget.value)}
      >
        {courses.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

function LessonDeletion({ lesson }: { lesson: Lesson }) {
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  if (!asked) {
    return (
      <button type="button" className="text-btn" onClick={() => setAsked(true)}>
        Delete this lesson
      </button>
    );
  }
  const remove = async (): Promise<void> => {
    try {
      await deleteLesson(lesson.id);
      toast.success('The lesson is deleted.');
    } catch (error) {
      const isOut = (error as Error).message === MESSAGES.delete.required;
      toast.error(isOut ? MESSAGES.delete.required : 'The lesson could not be deleted. Please try again.');
    }
    await refreshCourse(queries);
  };
  return (
    <div className="lesson-deletion" role="alert">
      <p>
        The video, its notes and messages will be removed from our servers. This cannot be undone, and the
        upload that it took is not given back.
      </p>
      <div className="acts">
        <Button small look="quiet" autoFocus onClick={() => setAsked(false)}>
          Keep it
        </Button>
        <Button small look="danger" onClick={() => void remove()}>
          Delete
        </Button>
      </div>
    </div>
  );
}
