/** The paths that entries of one tree have, to tell whether they can all be there at once. */
import { ancestorsOf, type MemoryPath } from '../vault/path.ts';

export class PathShape {
  readonly #paths = new Set<MemoryPath>();
  /** How many entries are anywhere below a path. */
  readonly #below = new Map<MemoryPath, number>();

  put(path: MemoryPath): void {
    if (this.#paths.has(path)) return;
    this.#paths.add(path);
    for (const ancestor of ancestorsOf(path)) this.#below.set(ancestor, (this.#below.get(ancestor) ?? 0) + 1);
  }

  remove(path: MemoryPath | undefined): void {
    if (path === undefined || !this.#paths.delete(path)) return;
    for (const ancestor of ancestorsOf(path)) this.#below.set(ancestor, this.#below.get(ancestor)! - 1);
  }

  /** Whether an entry, which leaves no room for anything below it, has others below it, or is below another. */
  isEntangled(path: MemoryPath): boolean {
    return (this.#below.get(path) ?? 0) > 0 || ancestorsOf(path).some((ancestor) => this.#paths.has(ancestor));
  }
}
