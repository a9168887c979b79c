// Takes back what was just done, where that is possible without a message being handled too early or twice.

import { ApiError, get, isAway, path, post } from './api.js';
import { number, ours, say } from './parts.js';

const COMMANDS = { BURY: 'redrive', RESCHEDULE: 'reschedule' };
const FAILED_BEFORE = 'It had failed before, and would have all its attempts again.';

/**
 * Gives messages that waited their due time back: those that were buried live again, those that were rescheduled are due as before.
 * One that had failed is not redriven: it would have all its attempts again.
 */
export function undoOf(action, messages) {
  const name = action.toUpperCase();
  const fresh = name === 'BURY' ? messages.filter(({ failures, crashes }) => !failures && !crashes) : messages;
  return COMMANDS[name] && fresh.length ? () => takeBack(COMMANDS[name], fresh, Array(messages.length - fresh.length).fill(FAILED_BEFORE)) : undefined;
}

/** Goes on behind those that cannot be taken back, and offers the rest again when the server or Redis is away. */
async function takeBack(command, messages, stayed) {
  let done = 0;
  for (const [i, message] of messages.entries()) {
    try {
      await asBefore(command, message);
      done++;
    } catch (failure) {
      if (!(failure instanceof ApiError)) {
        throw failure;
      }
      if (isAway(failure)) {
        const left = messages.slice(i);
        return { words: say`${[doneWords(done)]}${[number(left.length)]} not yet: ${ours(failure.message)}`, failed: true, undo: () => takeBack(command, left, stayed) };
      }
      stayed.push(failure.message);
    }
  }
  if (!stayed.length) {
    return { words: done === 1 ? 'It is due as it was before.' : `${number(done)} messages are due as they were before.` };
  }
  return { words: done + stayed.length === 1 ? [ours(stayed[0])] : say`${[doneWords(done)]}${[number(stayed.length)]} stayed: ${ours(stayed[0])}`, failed: true };
}

function doneWords(done) {
  return done > 0 ? `${number(done)} due as before, ` : '';
}

/** One whose answer was lost may be as it was already. */
async function asBefore(command, message) {
  const { uid, state, dueAt } = await asNow(message);
  if (state !== message.state || dueAt !== message.dueAt) {
    await post(path`queues/${message.queue}/messages/${uid}/${command}`, { due: message.dueAt });
  }
}

/** A message that was moved may have another uid, and another message may have its id by now. */
async function asNow({ queue, id, uid, sentAt }) {
  for (const name of [uid, id]) {
    try {
      const now = await get(path`queues/${queue}/messages/${name}`);
      if (now.sentAt === sentAt) {
        return now;
      }
    } catch (failure) {
      if (failure.status !== 404) {
        throw failure;
      }
    }
  }
  throw new ApiError(404, { message: 'It has gone meanwhile, and stays as it is.' });
}

/** Pauses again what was resumed, and the other way round. */
export function undoOfPause(queue, paused) {
  return async () => {
    await post(path`queues/${queue}/${paused ? 'pause' : 'resume'}`);
    return { words: paused ? say`${queue} is paused again.` : say`${queue} is resumed again.` };
  };
}
