import { PAGES } from '../../kernel/contract/routes.ts';
import { words } from '../../ui/brand.ts';

const LESSONS = [
  { name: 'Flour, water, salt', length: '12 min', state: 'done' },
  { name: 'Your first starter', length: '14 min', state: 'done' },
  { name: 'Folding by hand', length: '9 min', state: 'now' },
  { name: 'Shaping a loaf', length: '15 min', state: 'next' },
  { name: 'Baking day, live', length: '40 min', state: 'next' },
] as const;

/** Personal Course Launcher: the offer, and a course as learners see it. */
export function CourseLauncher({ openCourseInquiry }: { openCourseInquiry: () => void }) {
  return (
    <section className="stop launcher c-courses" aria-labelledby="launcher-title">
      <div className="launcher-text">
        <h2 id="launcher-title">{words('launcher.heading')}</h2>
        <p>{words('launcher.text')}</p>
        <ul className="ticks">
          <li>{words('launcher.first')}</li>
          <li>{words('launcher.second')}</li>
          <li>{words('launcher.third')}</li>
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
      <SampleCourse />
    </section>
  );
}

/** A course as its learners see it. */
export function SampleCourse() {
  return (
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
  );
}
