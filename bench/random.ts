/** Random numbers and English-like text from a seed, so that every run of the bench does the same work. */

/** Words in about the order of how often an agent's notes use them; `pick` favours the first ones. */
const WORDS = `the to of and a in is for that it with on as was be this are from or not by at have an when which should we can but
test file run user add check error after before fix returns value page button login session server request works see now call
data list name only until commit build still failed time date table query index cache path default option config set empty
works token retry timeout response handler schema field column parser module import export deploy branch review merge feature
flag step note result second first next then because instead between without against never always needs seems expected
actual observed browser screenshot click form submit validate message label header footer color layout mobile width height
memory progress checklist verified regression migration rollback backup restore upload download stream buffer chunk offset
customer invoice account payment refund currency locale translation region timezone calendar reminder notification email
permission role admin guest audit policy secret rotate expire archive search filter sort paginate export report chart
latency throughput worker queue job schedule cron lock race deadlock flaky snapshot fixture mock stub coverage lint format`
  .split(/\s+/);

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1: mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** Favours the beginning of the list: the first of 200 is picked about once in six times. */
  pick<T>(items: readonly T[]): T {
    return items[Math.floor(items.length * this.next() ** 3)]!;
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.pick(WORDS)).join(' ');
  }

  characters(count: number): string {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
    return Array.from({ length: count }, () => alphabet[this.below(alphabet.length)]!).join('');
  }

  /** Lines of a note, at least `bytes` in all. */
  note(bytes: number): string {
    let text = `# ${this.words(3)}\n\n`;
    while (text.length < bytes) text += this.next() < 0.1 ? `\n## ${this.words(2)}\n\n` : `- ${this.words(6 + this.below(12))}\n`;
    return text;
  }
}
