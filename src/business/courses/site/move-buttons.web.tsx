import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, type LucideIcon } from 'lucide-react';

interface MoveButtonsProps {
  /** The name of the moved thing. */
  readonly name: string;
  /** Its place, 0 to `count` - 1. */
  readonly place: number;
  readonly count: number;
  /** The others stand beside it, not above and below. */
  readonly beside?: boolean;
  readonly busy?: boolean;
  readonly onMove: (to: number) => void;
}

/** Moves one of a list by a place. */
export function MoveButtons({ name, place, count, beside = false, busy = false, onMove }: MoveButtonsProps) {
  const button = (way: string, to: number, Icon: LucideIcon) => (
    <button
      type="button"
      className="btn quiet small ico bare"
      aria-label={`Move ${name} ${way}`}
      disabled={busy || to < 0 || to >= count}
      onClick={() => onMove(to)}
    >
      <Icon size={18} aria-hidden="true" />
    </button>
  );
  return beside ? (
    <>
      {button('forward', place - 1, ArrowLeft)}
      {button('back', place + 1, ArrowRight)}
    </>
  ) : (
    <>
      {button('up', place - 1, ArrowUp)}
      {button('down', place + 1, ArrowDown)}
    </>
  );
}
