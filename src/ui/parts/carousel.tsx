import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { LIMITS } from '../../kernel/contract/limits.ts';

interface CarouselProps {
  label: string;
  slides: readonly { readonly name: string; readonly content: ReactNode }[];
}

/**
 * Slides that change every 7 s and start over after the last (docs/specification/platform.md §9), with a dot
 * for each. It pauses while the pointer or the focus is on it, while it is out of sight, and on request; it
 * does not start by itself under reduced motion (WCAG 2.2.2). Without scripts it is a strip that scrolls.
 */
export function Carousel({ label, slides }: CarouselProps) {
  const strip = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(0);
  const [paused, setPaused] = useState(false);
  const [resting, setResting] = useState(false);
  const show = useCallback((index: number) => {
    const element = strip.current;
    element?.scrollTo({ left: index * element.clientWidth, behavior: 'smooth' });
  }, []);
  useEffect(() => {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) setPaused(true);
  }, []);
  useEffect(() => {
    if (paused || resting) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') show((current + 1) % slides.length);
    }, LIMITS.carousel);
    return () => clearInterval(timer);
  }, [paused, resting, current, show, slides.length]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a labelled group is what the carousel pattern asks for
    <div
      className="carousel"
      role="group"
      aria-roledescription="carousel"
      aria-label={label}
      onMouseEnter={() => setResting(true)}
      onMouseLeave={() => setResting(false)}
      onFocus={(event) => setResting(event.target.matches(':focus-visible'))}
      onBlur={() => setResting(false)}
    >
      <ul
        ref={strip}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a strip that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-live={paused || resting ? 'polite' : 'off'}
        onScroll={(event) => {
          const { scrollLeft, clientWidth } = event.currentTarget;
          if (clientWidth > 0) setCurrent(Math.round(scrollLeft / clientWidth));
        }}
      >
        {slides.map((slide, index) => (
          <li key={slide.name} aria-label={`${index + 1} of ${slides.length}`} inert={index !== current}>
            {slide.content}
          </li>
        ))}
      </ul>
      <div className="carousel-controls">
        {slides.map((slide, index) => (
          <button
            key={slide.name}
            type="button"
            className="dot"
            data-live=""
            aria-label={`Show ${slide.name}`}
            aria-current={index === current}
            onClick={() => show(index)}
          />
        ))}
        <button type="button" className="carousel-pause" data-live="" onClick={() => setPaused(!paused)}>
          {paused ? 'Play' : 'Pause'}
          <span className="hidden-text"> the slides</span>
        </button>
      </div>
    </div>
  );
}
