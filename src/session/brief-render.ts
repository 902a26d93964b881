/** Writes a brief out inside its bound, as text or as JSON: the least needed is left out first. Pure. */
import type { Brief, BriefFeatures } from './brief-content.ts';
import { LEVELS, shrinkBrief } from './brief-size.ts';
import { briefText } from './brief-text.ts';
import { cutAtSentence } from './text.ts';

/** @param maxChars at least `MIN_BRIEF_CHARS`, which always has room for the counts of features */
export function renderBrief(brief: Brief, format: 'text' | 'json', maxChars: number): string {
  const render = format === 'json' ? (value: Brief) => JSON.stringify(value) : briefText;
  for (const level of LEVELS) {
    const text = render(shrinkBrief(brief, level));
    if (text.length <= maxChars) return text;
  }
  const last = shrinkBrief(brief, LEVELS.at(-1)!);
  return format === 'json' ? JSON.stringify({ features: countsOf(last) }) : cutAtSentence(briefText(last), maxChars);
}

function countsOf({ features }: Brief): Pick<BriefFeatures, 'total' | 'passing' | 'done'> {
  return { total: features?.total ?? 0, passing: features?.passing ?? 0, done: features?.done ?? false };
}
