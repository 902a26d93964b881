/** Each operation of a vault by itself, with each kind of fault at each of its calls to the file system (every-call-suite.ts). */
import { everyCallOf } from './every-call-suite.ts';
import { OWN_OPERATIONS } from './operations.ts';

everyCallOf(OWN_OPERATIONS);
