import { PAGES } from '../../kernel/contract/routes.ts';

const LESSONS = [
  { name: 'Flour, water, salt', length: '12 min', state: 'done' },
  { name: 'Your first starter', length: '14 min', state: 'done' },
  { name: 'Folding by hand', length: '9 min', state: 'now' },
  { name: 'Shaping a loaf', length: '15 min', state: 'next' },
  { name: 'Baking day, live', length: '40 min', state: 'next' },
] as const;

/** Personal Course Launcher: the promise, and a course as its learners see it. */
export function CourseLauncher({ openCourseInquiry }: { openCourseInquiry: () => void }) {
  return (
    <section className="stop launcher c-courses" aria-labelledby="launcher-title">
      <div className="launcher-text">
        <h2 id="launcher-title">Personal Course Launcher</h2>
        <p>
          You know something that others would pay to learn. Send us the recordings; we build the course
          around them: the platform, the pages, the payments and the reminders that keep people going.
        </p>
        <ul className="ticks">
          <li>Your name and address on it, not ours</li>
          <li>Lessons cut, captioned and put in order</li>
          <li>Learners, payments and certificates in one place</li>
        </ul>
        <p>
          <a
            className="btn"
            href={PAGES.courseInquiry.path}
            data-live=""
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              openCourseInquiry();
            }}
          >
            Enquire Now
          </a>
        </p>
      </div>
      <figure className="course">
        <figcaption>
          <b>Bread for beginners</b>
          <span>A sample course, 2 of 5 lessons</span>
        </figcaption>
        <ol>
          {LESSONS.map((lesson) => (
            <li key={lesson.name} data-state={lesson.state}>
              <span>{lesson.name}</span>
              <span className="num">{lesson.length}</span>
            </li>
          ))}
        </ol>
      </figure>
    </section>
  );
}
