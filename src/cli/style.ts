/** The few colours of the output. Without colour every function returns its text as it is. */

export type Paint = (text: string) => string;

export interface Style {
  readonly oid: Paint;
  readonly added: Paint;
  readonly removed: Paint;
  readonly place: Paint;
  readonly title: Paint;
  readonly faint: Paint;
}

const plain: Paint = (text) => text;

export const PLAIN: Style = { oid: plain, added: plain, removed: plain, place: plain, title: plain, faint: plain };

export const COLOURED: Style = {
  oid: paint(33, 39),
  added: paint(32, 39),
  removed: paint(31, 39),
  place: paint(36, 39),
  title: paint(1, 22),
  faint: paint(2, 22),
};

function paint(on: number, off: number): Paint {
  return (text) => (text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`);
}
