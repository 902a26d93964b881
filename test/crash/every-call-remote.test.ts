/** Each operation with a remote, with each kind of fault at each of its calls to the file system (every-call-suite.ts). */
import { everyCallOf } from './every-call-suite.ts';
import { REMOTE_OPERATIONS } from './operations.ts';

everyCallOf(REMOTE_OPERATIONS);
