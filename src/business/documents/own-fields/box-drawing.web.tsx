import type { Block } from '@northline/document-reader/report.contract';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { type Box, wordsInBox } from './box-words.web.ts';
import type { DrawnPlace } from './own-field.contract.ts';

/** The words in a drawn box, and its place on a drawn page. */
export interface DrawnWords {
  readonly value: string;
  readonly place: DrawnPlace | undefined;
}

interface BoxDrawingProps {
  readonly blocks: readonly Block[];
  readonly onDrawn: (words: DrawnWords) => void;
  readonly onCancel: () => void;
}

/** Boxes that are smaller, in CSS pixels, are a slip of the hand. */
const SMALLEST = 4;

/** Lets a person draw a box on a page of the document that is shown; Escape ends it. */
export function BoxDrawing({ blocks, onDrawn, onCancel }: BoxDrawingProps) {
  const [box, setBox] = useState<Box>();
  const latest = useRef({ blocks, onDrawn, onCancel });
  latest.current = { blocks, onDrawn, onCancel };
  useEffect(() => {
    document.documentElement.dataset.drawing = '';
    let start: { page: HTMLElement; x: number; y: number } | undefined;
    const down = (event: PointerEvent): void => {
      const page =
        event.target instanceof Element ? event.target.closest<HTMLElement>('.doc [data-page]') : null;
      if (page === null || event.button !== 0) return;
      event.preventDefault();
      start = { page, x: event.clientX, y: event.clientY };
    };
    const move = (event: PointerEvent): void => {
      if (start !== undefined) setBox(boxOf(start, event));
    };
    const up = (event: PointerEvent): void => {
      if (start === undefined) return;
      const { page } = start;
      const drawn = boxOf(start, event);
      start = undefined;
      setBox(undefined);
      if (drawn.right - drawn.left < SMALLEST || drawn.bottom - drawn.top < SMALLEST) return;
      const value = wordsInBox(page, drawn, latest.current.blocks);
      latest.current.onDrawn({ value, place: placeOf(page, drawn) });
    };
    const stop = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') latest.current.onCancel();
    };
    const cancel = (): void => {
      start = undefined;
      setBox(undefined);
    };
    document.addEventListener('pointerdown', down);
    document.addEventListener('pointermove', move);
    document.addEventListener('pointerup', up);
    document.addEventListener('pointercancel', cancel);
    document.addEventListener('keydown', stop);
    return () => {
      delete document.documentElement.dataset.drawing;
      document.removeEventListener('pointerdown', down);
      document.removeEventListener('pointermove', move);
      document.removeEventListener('pointerup', up);
      document.removeEventListener('pointercancel', cancel);
      document.removeEventListener('keydown', stop);
    };
  }, []);
  if (box === undefined) return null;
  const style = { left: box.left, top: box.top, width: box.right - box.left, height: box.bottom - box.top };
  // On a narrow screen the document is in a dialog, above everything else.
  const over = document.querySelector('dialog.sheet') ?? document.body;
  return createPortal(<div className="drawn-box" style={style} aria-hidden="true" />, over);
}

function boxOf({ x, y }: { x: number; y: number }, { clientX, clientY }: PointerEvent): Box {
  return {
    left: Math.min(x, clientX),
    top: Math.min(y, clientY),
    right: Math.max(x, clientX),
    bottom: Math.max(y, clientY),
  };
}

/** The place on a drawn page; the text alone has no places. */
function placeOf(page: HTMLElement, box: Box): DrawnPlace | undefined {
  const number = Number(page.dataset.page);
  if (!page.classList.contains('pdf-page') || !Number.isInteger(number) || number < 1) return undefined;
  const frame = page.getBoundingClientRect();
  const share = (part: number, of: number): number => Math.min(1, Math.max(0, part / of));
  return {
    page: number,
    x: share(box.left - frame.left, frame.width),
    y: share((box.top + box.bottom) / 2 - frame.top, frame.height),
  };
}
