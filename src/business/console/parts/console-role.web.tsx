import { createContext, type ReactNode, useContext } from 'react';
import { mayCall, type OperatorFunctionName, type OperatorRole } from '../operator-roles.contract.ts';

/** The role of the person at the console; the server decides, and this only keeps pages from offering what it refuses. */
export const ConsoleRole = createContext<OperatorRole>('reader');

/** Whether the person at the console may call a function. */
export const useMay = (name: OperatorFunctionName): boolean => mayCall(useContext(ConsoleRole), name);

interface MayProps {
  readonly call: OperatorFunctionName;
  readonly children: ReactNode;
  /** In its place for everybody else. */
  readonly otherwise?: ReactNode;
}

/** What only people see who may call the function. */
export function May({ call, children, otherwise = null }: MayProps) {
  return useMay(call) ? children : otherwise;
}

/** Fields that people who may not call the function can read, and not write. */
export function MayWrite({ call, children }: Omit<MayProps, 'otherwise'>) {
  return (
    <fieldset className="console-fields" disabled={!useMay(call)}>
      {children}
    </fieldset>
  );
}
