import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import {
  type ConsoleLesson,
  type ConsoleLessonDetail,
  type ConsoleLessonPage,
  LESSON_LENGTHS,
  LESSON_STATES,
  type LessonState,
  type LessonStateList,
  lengthWords,
  STATE_WORDS,
} from '../../courses/course-videos.contract.ts';
import { LessonMessages } from '../../courses/site/lesson-messages.web.tsx';
import { LessonVideo } from '../../courses/site/lesson-video.web.tsx';
import { useConsoleList } from '../parts/console-list.web.ts';
import { ConsoleListView, ConsolePanel, OpenRows } from '../parts/console-list-page.web.tsx';
import { Choice, PageHead } from '../parts/console-parts.web.tsx';
import { May, useMay } from '../parts/console-role.web.tsx';
import { operatorQuery, postAsOperator } from '../parts/operator-client.web.ts';
import { shortTime } from '../parts/time-words.web.ts';

const LISTS: readonly (readonly [LessonStateList, string])[] = [
  ['open', 'Not published yet'],
  ['waiting', 'Waiting for an answer'],
  ['received', 'Received'],
  ['in_work', 'In work'],
  ['published', 'Published'],
  ['all', 'All'],
];

/** The console's Courses page: every customer's lessons, watched, moved on and answered. */
export function LessonsView() {
  const list = useConsoleList<ConsoleLessonPage, { list: LessonStateList }>('lessons', {
    filters: { list: 'open' },
    address: PAGES.operatorCourses.path,
  });
  return (
    <>
      <PageHead heading="Courses" about="Lessons that customers sent, newest first." />
      <ConsoleListView
        list={list}
        searchLabel="Search lessons"
        filters={
          <Choice
            label="Show"
            value={list.filters.list}
            options={LISTS}
            onChoose={(name) => list.choose({ list: name })}
          />
        }
        empty="There are no lessons here."
        hint="Choose a lesson to watch it, move it on and answer its customer."
        rows={(rows) => <OpenRows list={list} rows={rows.map(wordsOf)} />}
        panel={(id, onBack) => <LessonPanel id={id} onBack={onBack} />}
      />
    </>
  );
}

const wordsOf = (row: ConsoleLesson) => ({
  id: row.id,
  name: row.title,
  about: `${row.customer_name || row.customer_email}, ${row.course_title}`,
  state: row.waits_for_answer ? 'Waits for an answer' : STATE_WORDS[row.state],
  note: `${lengthWords(row.duration_seconds)} · ${shortTime(row.created_at)}`,
});

function LessonPanel({ id, onBack }: { id: string; onBack: () => void }) {
  const query = useQuery(operatorQuery<ConsoleLessonDetail>('lesson', { id }));
  const queries = useQueryClient();
  const mayAnswer = useMay('lesson-answer');
  return (
    <ConsolePanel label="Lesson" onBack={onBack}>
      <Loaded query={query}>
        {({ lesson, messages }) => (
          <>
            <h2 className="cut-heading" title={lesson.title}>
              {lesson.title}
            </h2>
            <LessonVideo
              title={lesson.title}
              addressOf={async () =>
                (await postAsOperator<{ url: string }>(queries, 'lesson-video', { id })).url
              }
            />
            <Facts lesson={lesson} />
            <May call="lesson-state" otherwise={<p className="meta">{STATE_WORDS[lesson.state]}</p>}>
              <StateForm lesson={lesson} />
            </May>
            <h3>Messages</h3>
            <LessonMessages
              messages={messages}
              own="We"
              other={lesson.customer_name || lesson.customer_email || 'The customer'}
              atConsole
              label="Answer"
              empty="Nothing was written yet. What you write is mailed to the customer."
              onSend={
                mayAnswer
                  ? async (text) => {
                      await postAsOperator(queries, 'lesson-answer', { id, text });
                    }
                  : undefined
              }
            />
          </>
        )}
      </Loaded>
    </ConsolePanel>
  );
}

function Facts({ lesson }: { lesson: ConsoleLesson }) {
  const facts: [string, string][] = [
    ['Customer', [lesson.customer_name, lesson.customer_email].filter(Boolean).join(', ')],
    ['File', `${lesson.file_name}, ${formatBytes(lesson.file_size)}`],
    ['Length', lengthWords(lesson.duration_seconds)],
    ['Course', lesson.course_title],
    ['Place', `Lesson ${lesson.position} of ${lesson.course_lessons}`],
    ['Came', shortTime(lesson.created_at)],
    ['Notes', lesson.notes],
  ];
  return (
    <dl className="words">
      {facts
        .filter(([, value]) => value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Where the agency is with the lesson; its customer is told by mail. */
function StateForm({ lesson }: { lesson: ConsoleLesson }) {
  const queries = useQueryClient();
  const [state, setState] = useState<LessonState>(lesson.state);
  const [url, setUrl] = useState(lesson.published_url ?? '');
  const [busy, setBusy] = useState(false);
  const isPublished = state === 'published';
  const changed = state !== lesson.state || (isPublished && url !== (lesson.published_url ?? ''));
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const address = isPublished && url !== '' ? url : null;
      await postAsOperator(queries, 'lesson-state', { id: lesson.id, state, url: address });
      toast.success('The state is saved.');
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="lesson-words" onSubmit={(event) => void save(event)}>
      <Choice
        label="State"
        value={state}
        options={LESSON_STATES.map((name) => [name, STATE_WORDS[name]] as const)}
        onChoose={setState}
      />
      {isPublished && (
        <div className="field">
          <label htmlFor="lesson-url">Where it is published (optional)</label>
          <input
            id="lesson-url"
            type="url"
            maxLength={LESSON_LENGTHS.url}
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </div>
      )}
      <Button small look="quiet" type="submit" busy={busy} disabled={!changed}>
        Save state
      </Button>
    </form>
  );
}
