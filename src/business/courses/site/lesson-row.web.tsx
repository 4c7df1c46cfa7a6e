import { GripVertical } from 'lucide-react';
import type { HTMLAttributes } from 'react';
import { formatDay } from '../../../kernel/contract/dates.ts';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import {
  type Course,
  type Lesson,
  type LessonMessage,
  lengthWords,
  STATE_WORDS,
} from '../course-videos.contract.ts';
import { LessonPanel } from './lesson-panel.web.tsx';
import { MoveButtons } from './move-buttons.web.tsx';

interface LessonRowProps {
  readonly lesson: Lesson;
  /** Those that it may be in. */
  readonly courses: readonly Course[];
  /** Its place from 0, how many there are, and whether a dragged one would come here. */
  readonly place: { readonly index: number; readonly count: number; readonly aim: boolean };
  readonly messages: readonly LessonMessage[];
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly onMove: (to: number) => void;
  readonly drag: { readonly dragged: boolean } & Pick<
    HTMLAttributes<HTMLElement>,
    'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel'
  >;
}

/** One lesson: its place, name, length and state; opened, all that is done with it. */
export function LessonRow({ lesson, courses, place, messages, open, onOpen, onMove, drag }: LessonRowProps) {
  const { index, count, aim } = place;
  const { dragged, ...pointer } = drag;
  const last = messages.at(-1);
  return (
    <li className="lesson" data-dragged={dragged || undefined} data-aim={aim || undefined}>
      <div className="lesson-line">
        <span className="lesson-grip" aria-hidden="true" title="Drag to another place" {...pointer}>
          <GripVertical size={20} />
        </span>
        <span className="kind num" aria-hidden="true">
          {index + 1}
        </span>
        <button
          type="button"
          className="lesson-name"
          aria-expanded={open}
          aria-controls={`lesson-${lesson.id}`}
          onClick={() => onOpen(!open)}
        >
          <b>{lesson.title}</b>
          <span className="meta num">
            {lengthWords(lesson.duration_seconds)} · {formatBytes(lesson.file_size)} ·{' '}
            <time dateTime={lesson.created_at}>{formatDay(new Date(lesson.created_at))}</time>
            {last?.from_agency ? ' · answered' : ''}
          </span>
        </button>
        <span className="badge" data-lesson-state={lesson.state}>
          {STATE_WORDS[lesson.state]}
        </span>
        <span className="lesson-moves">
          <MoveButtons name={lesson.title} place={index} count={count} onMove={onMove} />
        </span>
      </div>
      <div id={`lesson-${lesson.id}`} hidden={!open}>
        {open && <LessonPanel lesson={lesson} courses={courses} messages={messages} />}
      </div>
    </li>
  );
}
