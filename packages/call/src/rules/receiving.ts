import { isRecord, member, type Rule } from './rule.ts';

const layerIsRight = (kind: unknown): boolean => {
  const layer = member(kind, 'layer');
  return (
    !kind ||
    kind === 'inherit' ||
    layer === undefined ||
    layer === 'inherit' ||
    (Number.isInteger(layer) && Number(layer) >= 0)
  );
};

/**
 * Settings for received pictures. Keys are session ids, `base` or `*`, but never `local`; a layer is a number or
 * `inherit`.
 */
export const RECEIVE_SETTINGS_RULES = [
  {
    name: 'not of the form',
    broken: (settings) =>
      !isRecord(settings) ||
      Object.entries(settings).some(
        ([id, given]) =>
          id === '' ||
          id === 'local' ||
          !given ||
          !layerIsRight(member(given, 'video')) ||
          !layerIsRight(member(given, 'screenVideo')),
      ),
    text: 'receiveSettings must be of the form { [<remote participant id> | base | "*"]: { [video: [{ layer: [<non-negative integer> | "inherit"] } | "inherit"]], [screenVideo: [{ layer: [<non-negative integer> | "inherit"] } | "inherit"]] }}}',
  },
] as const satisfies readonly Rule<unknown>[];
