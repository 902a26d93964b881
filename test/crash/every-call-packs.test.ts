/** Each operation that packs anew, with each kind of fault at each of its calls to the file system (every-call-suite.ts). */
import { everyCallOf } from './every-call-suite.ts';
import { PACKING_OPERATIONS } from './operations.ts';

everyCallOf(PACKING_OPERATIONS);
