/** Children of a folder, against a plain Map: through many edits, beyond the size at which they are split, and unchanged behind. */
import fc from 'fast-check';
import { Children } from '../../../src/vault/children.ts';

const name = fc.nat({ max: 600 }).map((n) => `note-${n}.md`);
const edit = fc.oneof({ arbitrary: fc.record({ set: name, value: fc.nat() }), weight: 4 }, { arbitrary: fc.record({ delete: name }), weight: 1 });

test('hold what a Map holds, and every earlier version goes on holding what it held', () => {
  fc.assert(
    fc.property(fc.array(fc.array(edit, { maxLength: 150 }), { minLength: 1, maxLength: 3 }), (edits) => {
      const map = new Map<string, number>(Array.from({ length: 200 }, (_, i) => [`note-${i * 3}.md`, i]));
      const start = new Children<number>().edit();
      for (const [key, value] of map) start.set(key, value);
      let children = start.finish();
      for (const steps of edits) {
        const before = [...children].sort();
        const editor = children.edit();
        for (const step of steps) {
          if ('set' in step) {
            editor.set(step.set, step.value);
            map.set(step.set, step.value);
          } else {
            editor.delete(step.delete);
            map.delete(step.delete);
          }
        }
        const next = editor.finish();
        expect([...children].sort()).toEqual(before);
        expect([...next].sort()).toEqual([...map].sort());
        expect([next.size, editor.size]).toEqual([map.size, map.size]);
        for (let i = 0; i <= 600; i += 31) expect(next.get(`note-${i}.md`)).toBe(map.get(`note-${i}.md`));
        children = next;
      }
    }),
  );
});
